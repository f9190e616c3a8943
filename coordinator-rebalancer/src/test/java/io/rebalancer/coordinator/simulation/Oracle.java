package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation.PhaseChanged;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Sees everything that passes, and throws a {@link Violation} for what must not. */
final class Oracle {

  private static final String STABLE = "Stable";
  private static final String PREPARING = "PreparingRebalance";
  private static final String LEFT = "left";
  private static final String COMPLETING = "CompletingRebalance";

  private final World world;
  private final SimulatedStore store;
  private final Counts counts;
  private final ServedOracle shares;
  final Ownership ownership;
  final PositionOracle positions;
  private final Map<String, Witness> witnesses = new HashMap<>();

  private final Set<Ticket> open = new LinkedHashSet<>();

  /** By instance id the last Join without a member id. */
  private final Map<String, Ticket> firstJoins = new HashMap<>();

  /** Ids that have said good-bye, to whomever. */
  private final Set<String> left = new HashSet<>();

  private Node node;
  private int highest;
  private int current;
  private String phase = STABLE;
  private boolean returned;
  private long preparingSince;
  private long completingSince;
  private int ids;

  /** The first one, should something swallow the error. */
  Violation found;

  Oracle(World world, SimulatedStore store, Counts counts) {
    this.world = world;
    this.store = store;
    this.counts = counts;
    shares = new ServedOracle(world, store, this);
    ownership = new Ownership(world, store, this);
    positions = new PositionOracle(world, store, this);
    store.onStored = shares::stored;
    store.onExpired = positions::expired;
    store.onDeleted = this::forgotten;
  }

  Violation violated(Invariant broken, String what) {
    Violation violation = new Violation(broken, "at " + world.now() + " ms: " + what);
    if (found == null) {
      found = violation;
    }
    return violation;
  }

  MemberId freshId(MemberModel member) {
    return new MemberId(member.name + "-" + ++ids);
  }

  // Coordinators.

  /** The store's members are known from here on, nobody else is. */
  void restored(Node by) {
    node = by;
    witnesses.clear();
    HardState state = store.state().orElse(HardState.empty());
    current = state.generation();
    phase = GroupState.restored(World.GROUP, state).phase().toString();
    if (state.generation() == 0) {
      highest = 0; // Nobody can hold a generation of a group that was never stored: ids are new.
    }
    state
        .members()
        .values()
        .forEach(
            m ->
                witnesses.put(
                    m.id().value(),
                    new Witness(
                        m.id().value(),
                        m.instanceId(),
                        m.sessionTimeoutMs(),
                        m.rebalanceTimeoutMs(),
                        world.now(),
                        SimulatedStore.generationOf(state, m.id()))));
    counts.takeovers++;
  }

  void died(Node dead) {
    open.removeIf(ticket -> ticket.node == dead);
  }

  void resigned(Node by) {
    for (Ticket ticket : open) {
      if (ticket.node == by) {
        throw violated(Invariant.ANSWERED_ONCE, by + " resigned and owes an answer: " + ticket.ask);
      }
    }
  }

  void moved(Node by, PhaseChanged moved) {
    world.note(
        moved.generation(),
        () ->
            "%s generation %d: %s -> %s (%s)"
                .formatted(by, moved.generation(), moved.from(), moved.to(), moved.reason()));
    if (by != node) {
      return;
    }
    if (moved.to().equals("Dead")) {
      ended(moved.reason());
      return;
    }
    current = moved.generation();
    phase = moved.to();
    if (world.served) {
      if (moved.reason().equals("DELAY_OVER")) {
        shares.delayOver();
      }
      return;
    }
    if (moved.from().equals(PREPARING)) {
      if (!moved.to().equals("Empty")) { // Else there is nobody to be told.
        announced(moved);
      }
      joinsOver();
    }
    if (moved.to().equals(COMPLETING)) {
      completingSince = world.now();
    } else if (moved.to().equals(PREPARING)) {
      prepared(moved);
    } else if (moved.to().equals(STABLE)) {
      granted(moved.generation());
    }
  }

  private void announced(PhaseChanged moved) {
    if (moved.generation() <= highest) {
      throw violated(
          Invariant.GENERATIONS_RISE, moved.generation() + " is announced after " + highest);
    }
    highest = moved.generation();
    returned = false;
    counts.generations++;
  }

  private void joinsOver() {
    for (Witness each : witnesses.values()) {
      each.synced = false;
      if (each.joinsParked == 0 && world.now() - preparingSince >= each.rebalanceMs) {
        each.excuse("missed the join phase");
        ownership.late(each.id);
      } else if (each.strayJoin) {
        ownership.late(each.id);
      }
    }
  }

  private void prepared(PhaseChanged moved) {
    preparingSince = world.now();
    if (moved.from().equals(COMPLETING)) {
      counts.aborted++;
    }
    for (Witness each : witnesses.values()) {
      if (!each.synced && world.now() - completingSince >= each.rebalanceMs) {
        each.excuse("did not sync");
      }
    }
  }

  /** Whether it may have been removed without its knowing. */
  boolean isExcused(String memberId) {
    Witness witness = witnesses.get(memberId);
    return witness != null && !witness.excuse.isEmpty();
  }

  void zombie() {
    counts.zombies++;
  }

  /** A group that is removed has no member that has kept its side. */
  private void ended(String reason) {
    if (reason.equals("RESIGNED")) {
      return;
    }
    for (Witness each : witnesses.values()) {
      each.checkSession(world.now());
      if (world.served) {
        each.checkRevocation(world.now());
      }
      if (each.told > 0 && each.excuse.isEmpty()) {
        throw violated(
            Invariant.FAITHFUL_STAYS,
            "the group ends (%s), %s is in it, last heard of at %d, %d Joins and %d Syncs wait"
                .formatted(reason, each.id, each.heard, each.joinsParked, each.syncsParked));
      }
    }
    witnesses.clear();
  }

  /** The store knows nothing of the group any more: its generations begin anew, with new ids. */
  private void forgotten() {
    counts.deleted++;
    highest = 0;
    current = 0;
    returned = false;
    shares.forgotten();
    positions.forgotten();
  }

  void deleted(GroupError error, boolean done) {
    world.note(error.code(), () -> "deletion of the group: " + error);
    counts.answer(RequestKind.DELETE, error);
    if (error == GroupError.NONE && !done) {
      throw violated(Invariant.STORED_FIRST, "a deletion is confirmed, the store has the group");
    }
  }

  // Requests.

  Ticket arrived(Node at, Ask ask, boolean stray) {
    Ticket ticket = new Ticket(ask, at, world.now(), current, stray);
    world.note(
        ask.kind().ordinal() * 1000L + ask.generation(),
        () -> (stray ? "stray " : "") + ask + " reaches " + at);
    open.add(ticket);
    if (ask.kind() == RequestKind.LEAVE) {
      left.add(ask.memberId());
    }
    positions.asked(ticket);
    String instance = ask.sender().profile.instanceId();
    if (at == node
        && ask.kind() == RequestKind.JOIN
        && ask.memberId().isEmpty()
        && !instance.isEmpty()) {
      witnesses.values().stream()
          .filter(each -> each.instanceId.equals(instance))
          .forEach(each -> each.excuse("another process has its instance id"));
      firstJoins.put(instance, ticket);
    }
    Witness witness = at == node ? witnesses.get(ask.memberId()) : null;
    if (witness == null) {
      return ticket;
    }
    witness.checkSession(world.now());
    if (world.served) {
      witness.checkRevocation(world.now());
    }
    switch (ask.kind()) {
      case JOIN -> {
        witness.joinsParked++;
        witness.strayJoin = stray;
      }
      case SYNC -> {
        witness.syncsParked++;
        witness.synced |= ask.generation() == witness.told;
      }
      case LEAVE -> witness.excuse(LEFT);
      case HEARTBEAT, COMMIT, FETCH -> {}
    }
    return ticket;
  }

  /** The shard has had the request; a first Join that it kept has made a member. */
  void served(Ticket ticket) {
    Ask ask = ticket.ask;
    // What waits until its coordinator knows whether it still is one is refused at once after that.
    ticket.waited = !ticket.answered && ticket.node.isServing();
    if (ask.kind() == RequestKind.JOIN
        && ticket.waited
        && ticket.node == node
        && node.isServing()
        && !ask.memberId().isEmpty()
        && !witnesses.containsKey(ask.memberId())) {
      Profile profile = ask.sender().profile;
      Witness made =
          new Witness(
              ask.memberId(),
              profile.instanceId(),
              profile.sessionMs(),
              profile.rebalanceMs(),
              world.now(),
              -1);
      made.joinsParked = 1;
      made.strayJoin = ticket.stray;
      made.excuse = left.contains(made.id) ? LEFT : "";
      witnesses.put(made.id, made);
    }
  }

  void answered(Ticket ticket, Object given) {
    Ask ask = ticket.ask;
    GroupError error =
        given instanceof Answer answer
            ? answer.error()
            : given instanceof GroupError refused ? refused : GroupError.NONE;
    world.note(error.code(), () -> ticket.node + " answers " + ask + ": " + given);
    if (ticket.answered) {
      throw violated(Invariant.ANSWERED_ONCE, "a second answer to " + ask);
    }
    ticket.answered = true;
    open.remove(ticket);
    counts.answer(ask.kind(), error);
    boolean unassigned = ask.kind() == RequestKind.JOIN && counts.unassigned > 0;
    if (error == GroupError.UNKNOWN_SERVER_ERROR && !unassigned) {
      throw violated(Invariant.CONSISTENT, ask + " is answered " + error);
    }
    if (ticket.node == node) {
      judge(ticket, error);
    }
    switch (ask.kind()) {
      case JOIN -> joined(ticket, given);
      case SYNC -> synced(ask, given);
      case COMMIT -> {
        if (error == GroupError.NONE) {
          positions.committed(ticket);
        }
      }
      case FETCH -> fetched(ticket, given);
      case HEARTBEAT, LEAVE -> {}
    }
  }

  private void judge(Ticket ticket, GroupError error) {
    Ask ask = ticket.ask;
    Witness witness = witnesses.get(ask.memberId());
    if (witness == null) {
      return;
    }
    switch (ask.kind()) {
      case JOIN -> {
        witness.joinsParked = Math.max(0, witness.joinsParked - 1);
        witness.heard = world.now();
      }
      case SYNC -> {
        witness.syncsParked = Math.max(0, witness.syncsParked - 1);
        if (error == GroupError.NONE || ticket.waited) {
          witness.heard = world.now(); // Refused at once, it does not count, as in Kafka.
        }
      }
      case HEARTBEAT, COMMIT -> {
        if (error == GroupError.NONE || error == GroupError.REBALANCE_IN_PROGRESS) {
          witness.heard = Math.max(witness.heard, ticket.at);
          if (error == GroupError.NONE && ask.kind() == RequestKind.HEARTBEAT) {
            witness.calm = world.now();
          }
        }
      }
      case LEAVE, FETCH -> {}
    }
    if (ask.kind() == RequestKind.LEAVE) {
      return;
    }
    boolean refused =
        error == GroupError.UNKNOWN_MEMBER_ID
            || error == GroupError.FENCED_INSTANCE_ID
            || (error == GroupError.ILLEGAL_GENERATION
                && ask.generation() == witness.told
                && !overtaken(ticket, witness));
    if (refused && witness.excuse.isEmpty()) {
      throw violated(
          Invariant.FAITHFUL_STAYS,
          ask + " is answered " + error + ", last heard of at " + witness.heard);
    }
    if (error == GroupError.UNKNOWN_MEMBER_ID) {
      counts.removed++;
      witnesses.remove(witness.id);
    }
  }

  /** By a Join of the same member: it may have been given a generation that it is not told yet. */
  private static boolean overtaken(Ticket ticket, Witness witness) {
    return ticket.stray || witness.joinsParked > 0 || witness.strayJoin;
  }

  private void joined(Ticket ticket, Object given) {
    Ask ask = ticket.ask;
    if (!(given instanceof Answer.Joined joined)) {
      require(given instanceof Answer.Plain, ask, given);
      return;
    }
    // As Kafka's, the answer to a member that was removed meanwhile does not name it.
    boolean unnamed = joined.error() == GroupError.UNKNOWN_MEMBER_ID && joined.memberId().isEmpty();
    require(
        ask.memberId().isEmpty() || unnamed || joined.memberId().equals(ask.memberId()),
        ask,
        given);
    if (joined.error() == GroupError.NONE) {
      if (world.served) {
        shared(ask, joined);
      } else {
        require(ticket.node != node || joined.generation() == current, ask, given);
      }
      returned |=
          !world.served && ask.memberId().isEmpty() && joined.generation() == ticket.generation;
      if (ticket.node != node) {
        return;
      }
      Witness witness =
          witnesses.computeIfAbsent(
              joined.memberId(),
              id ->
                  new Witness(
                      id,
                      ask.sender().profile.instanceId(),
                      ask.sender().profile.sessionMs(),
                      ask.sender().profile.rebalanceMs(),
                      world.now(),
                      joined.generation()));
      witness.told = joined.generation();
      witness.calm = world.now();
      witness.excuse = excuse(ticket, witness.id);
    }
  }

  /**
   * A member of a server-assigned group is told of a share of its own, or once more of the last:
   * its own generations rise, and others may have been told of later ones.
   */
  private void shared(Ask ask, Answer.Joined joined) {
    Witness witness = witnesses.get(joined.memberId());
    if (witness != null && joined.generation() < witness.told) {
      throw violated(
          Invariant.GENERATIONS_RISE, joined.generation() + " is announced after " + witness.told);
    }
    highest = Math.max(highest, joined.generation());
    counts.shared++;
    shares.told(ask, joined);
  }

  /** An assignment of the coordinator's is about to fail: whoever waits for it may be told. */
  void unassigned() {
    counts.unassigned++;
  }

  /** A Leave may have come after the Join, which had to wait. */
  private String excuse(Ticket ticket, String memberId) {
    if (left.contains(memberId)) {
      return LEFT;
    }
    return isSuperseded(ticket) ? "another process has its instance id" : "";
  }

  /** Whether another process with the same instance id has come since, though it may wait yet. */
  private boolean isSuperseded(Ticket ticket) {
    Ticket last = firstJoins.get(ticket.ask.sender().profile.instanceId());
    return last != null && last != ticket && last.at >= ticket.at;
  }

  private void synced(Ask ask, Object given) {
    if (!(given instanceof Answer.Synced synced)) {
      require(given instanceof Answer.Plain, ask, given);
      return;
    }
    if (synced.error() != GroupError.NONE) {
      return;
    }
    require(store.hasStored(ask.memberId(), ask.generation(), synced.assignment()), ask, given);
  }

  private void require(boolean right, Ask ask, Object given) {
    if (!right) {
      throw violated(Invariant.RIGHT_ANSWER, ask + " is answered " + given);
    }
  }

  /** What is left when everything has calmed down. */
  void allAnswered(long since) {
    for (Ticket ticket : open) {
      if (ticket.at < since) {
        throw violated(
            Invariant.ANSWERED_ONCE, ticket.ask + " of " + ticket.at + " ms is never answered");
      }
    }
  }

  private void fetched(Ticket ticket, Object given) {
    require(given instanceof GroupError || given instanceof Map, ticket.ask, given);
  }

  private void granted(int generation) {
    HardState stored = store.state().orElse(HardState.empty());
    if (stored.generation() != generation) {
      throw violated(
          Invariant.STORED_FIRST,
          "generation " + generation + " is complete, stored is " + stored.generation());
    }
    counts.completed++;
    Map<TopicPartition, String> owners = new HashMap<>();
    for (Member member : stored.members().values()) {
      String id = member.id().value();
      share(member.assignment()).stream()
          .forEach(
              p -> {
                String other = owners.putIfAbsent(p, id);
                if (other != null) {
                  throw violated(
                      Invariant.ONE_OWNER, p + " of " + generation + ": " + other + " and " + id);
                }
              });
      ownership.granted(id, share(member.assignment()));
    }
  }

  boolean isStable() {
    return phase.equals(STABLE);
  }

  /**
   * Whether a static member came back into the present generation. Until the next one nobody may
   * notice that topics or its own subscription changed meanwhile: known traps of the protocol
   * (KIP-345, KAFKA-13435).
   */
  boolean hasReturned() {
    return returned;
  }

  Set<String> storedMembers() {
    Set<String> ids = new TreeSet<>();
    store.state().ifPresent(s -> s.members().keySet().forEach(id -> ids.add(id.value())));
    return ids;
  }

  private Assignment share(Opaque bytes) {
    return bytes.size() == 0 ? Assignment.empty() : world.codec.decode(bytes, Assignment.class);
  }
}
