package io.rebalancer.coordinator.simulation;

import static io.rebalancer.coordinator.group.GroupError.NONE;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.assignor.member.Assignors;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One process with a Kafka consumer of the classic protocol, as its Java client behaves: a thread
 * of the application that polls, takes up and gives up partitions and joins, and a thread that
 * heartbeats, notices what it is told and looks for the coordinator.
 */
final class MemberModel {

  static final String TYPE = "consumer";
  private static final MemberAssignor EAGER = Assignors.named("sticky");
  private static final MemberAssignor COOPERATIVE = Assignors.named("cooperative-sticky");
  private static final int REQUEST_TIMEOUT_MS = 4_000;
  private static final int NO_GENERATION = -1;

  private enum Phase {
    UNJOINED,
    JOINING,
    SYNCING,
    STABLE
  }

  /** A Sync's answer that the application's thread has not taken up yet. */
  private record Ready(int generation, Assignment share) {}

  private final World world;
  private final Oracle oracle;
  private final Cluster cluster;
  final String name;
  final Profile profile;
  private final MemberAssignor assignor;

  private Link link;
  private boolean seeking;
  private boolean alive = true;
  private boolean leaving;
  private Phase phase = Phase.UNJOINED;
  private String memberId = "";
  private int generation = NO_GENERATION;
  private int syncedGeneration = NO_GENERATION;
  private Assignment owned = Assignment.empty();
  private Assignment last = Assignment.empty();
  private Set<String> topics;
  private Map<String, PartitionSet> known;
  private Map<String, PartitionSet> assignedBy;
  private Ready ready;
  private boolean rejoin = true;
  private boolean lost;
  private boolean pollPlanned;
  private long blockedSince;
  private long blockedUntil;
  private long frozenUntil;
  private long lastAnswer;
  private long beats;

  MemberModel(
      World world,
      Oracle oracle,
      Cluster cluster,
      String name,
      Profile profile,
      Set<String> topics) {
    this.world = world;
    this.oracle = oracle;
    this.cluster = cluster;
    this.name = name;
    this.profile = profile;
    this.topics = topics;
    assignor = profile.cooperative() ? COOPERATIVE : EAGER;
    known = world.partitions();
  }

  // What happens to the process.

  void start() {
    world.note(7, () -> name + " starts: " + profile + " " + topics);
    wantPoll();
    planCommit();
  }

  void crash(boolean seen) {
    world.note(8, () -> name + " crashes");
    end();
  }

  private void end() {
    alive = false;
    oracle.stops(this, oracle.processed(this));
    if (link != null) {
      link.close();
      link = null;
    }
  }

  /** It gives everything up, says good-bye, and is gone a moment later. */
  void leave() {
    if (!alive || leaving) {
      return;
    }
    world.note(9, () -> name + " leaves");
    leaving = true;
    oracle.stops(this, oracle.processed(this));
    owned = Assignment.empty();
    sendLeave();
    world.after(100, this::end);
  }

  private void sendLeave() {
    if (link != null && !memberId.isEmpty() && !profile.isStatic()) {
      String id = memberId;
      send(
          RequestKind.LEAVE,
          request ->
              new GroupEvent.LeaveRequested(request, List.of(new GroupEvent.Identity(id, "", ""))),
          REQUEST_TIMEOUT_MS,
          answer -> {});
    }
  }

  void block(int ms) {
    world.note(10, () -> name + "'s application blocks for " + ms + " ms");
    if (blockedUntil <= world.now()) {
      blockedSince = world.now();
    }
    blockedUntil = Math.max(blockedUntil, world.now() + ms);
  }

  void freeze(int ms) {
    world.note(11, () -> name + " stands still for " + ms + " ms");
    frozenUntil = Math.max(frozenUntil, world.now() + ms);
  }

  void cut(boolean seen) {
    if (link == null) {
      return;
    }
    if (seen) {
      link.lose("cut");
    } else {
      link.fallSilent();
    }
  }

  void subscribe(Set<String> next) {
    if (!topics.equals(next)) {
      world.note(12, () -> name + " subscribes to " + next);
      topics = next;
      rejoin = true;
      wantPoll();
    }
  }

  /** The client learns of topics when its metadata is old enough. */
  void learnTopicsLater() {
    world.after(world.between(10, 4000), this::learnTopics);
  }

  private void learnTopics() {
    if (!alive) {
      return;
    }
    if (frozenFor() > 0) {
      world.after(frozenFor(), this::learnTopics);
      return;
    }
    known = world.partitions();
    if (assignedBy != null && !assignedBy.equals(known)) {
      world.note(13, () -> name + " leads and sees that topics changed");
      rejoin = true;
      wantPoll();
    }
  }

  long frozenFor() {
    return Math.max(0, frozenUntil - world.now());
  }

  // What is asked of it.

  boolean isAlive() {
    return alive;
  }

  boolean isLeaving() {
    return leaving;
  }

  String memberId() {
    return memberId;
  }

  Assignment owned() {
    return owned;
  }

  Set<String> topics() {
    return topics;
  }

  int generation() {
    return generation;
  }

  boolean isSettled() {
    return phase == Phase.STABLE
        && !rejoin
        && !lost
        && ready == null
        && link != null
        && link.isSound()
        && Math.max(blockedUntil, frozenUntil) <= world.now()
        && (assignedBy == null || assignedBy.equals(world.partitions()));
  }

  // The application's thread.

  private void wantPoll() {
    if (!pollPlanned && alive && !leaving) {
      pollPlanned = true;
      long free = Math.max(blockedUntil, frozenUntil) - world.now();
      world.after(Math.max(free, world.between(1, profile.pollMs())), this::pollDue);
    }
  }

  private void pollDue() {
    long wait = Math.max(blockedUntil, frozenUntil) - world.now();
    if (wait > 0 && alive) {
      world.after(wait, this::pollDue);
      return;
    }
    pollPlanned = false;
    if (alive && !leaving) {
      poll();
    }
  }

  private void poll() {
    if (ready != null) {
      takeUp();
    }
    if (!rejoin || phase == Phase.JOINING || phase == Phase.SYNCING) {
      return;
    }
    if (link == null) {
      seek();
      return;
    }
    prepare();
    sendJoin();
  }

  private void takeUp() {
    Ready told = ready;
    ready = null;
    if (told.generation() != generation) {
      rejoin = true;
      return;
    }
    syncedGeneration = generation;
    Assignment revoked = owned.minus(told.share());
    owned = told.share();
    last = owned;
    oracle.stops(this, revoked);
    oracle.starts(this, owned);
    if (profile.cooperative() && !revoked.isEmpty()) {
      world.note(14, () -> name + " gives up " + revoked + " and joins again");
      rejoin = true;
    }
    fetch();
  }

  /** Before a Join: what it may not keep through the rebalance. */
  private void prepare() {
    if (lost || generation == NO_GENERATION) {
      oracle.stops(this, oracle.processed(this));
      owned = Assignment.empty();
      lost = false;
    } else if (!profile.cooperative()) {
      commit();
      oracle.stops(this, owned);
      owned = Assignment.empty();
    } else {
      Assignment kept = subscribed(owned);
      oracle.stops(this, owned.minus(kept));
      owned = kept;
    }
    if (profile.era() == Era.V2_4) {
      oracle.stops(this, owned);
    }
  }

  private Assignment subscribed(Assignment all) {
    return Assignment.copyOf(
        all.topics().entrySet().stream()
            .filter(e -> topics.contains(e.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  private Wish wish() {
    if (!profile.cooperative()) {
      return new Wish(topics, last, syncedGeneration);
    }
    int claimed =
        switch (profile.era()) {
          case V2_4 -> NO_GENERATION;
          case V2_8 -> syncedGeneration;
          case V3_4 -> generation;
        };
    return new Wish(topics, owned, claimed);
  }

  /**
   * Subscriptions have a word for the generation from 3.4 on; what user data say is not looked at.
   */
  private Kept kept(Wish claim) {
    Assignment kept = profile.cooperative() ? claim.owned() : Assignment.empty();
    return new Kept(kept, profile.era() == Era.V3_4 ? generation : NO_GENERATION);
  }

  private void sendJoin() {
    phase = Phase.JOINING;
    rejoin = false;
    assignedBy = null;
    ready = null;
    String id = memberId;
    Set<String> wanted = topics;
    Wish claim = wish();
    Kept kept = kept(claim);
    List<Protocol> protocols = List.of(new Protocol(assignor.name(), world.codec.encode(claim)));
    send(
        RequestKind.JOIN,
        request ->
            new GroupEvent.JoinRequested(
                request,
                id,
                oracle.freshId(this),
                profile.idRequired(),
                profile.era() == Era.V3_4,
                profile.instanceId(),
                new ClientInfo(name, "host", profile.software()),
                profile.sessionMs(),
                profile.rebalanceMs(),
                TYPE,
                protocols,
                wanted,
                kept,
                ""),
        profile.rebalanceMs() + 5_000,
        answer -> {
          if (answer instanceof Answer.Joined joined) {
            joined(joined);
          } else {
            joinFailed(((Answer.Plain) answer).error());
          }
        });
  }

  private void joined(Answer.Joined joined) {
    if (leaving || !alive) {
      return;
    }
    switch (joined.error()) {
      case NONE -> {
        memberId = joined.memberId();
        generation = joined.generation();
        lastAnswer = world.now();
        phase = Phase.SYNCING;
        if (profile.era() != Era.V2_4) {
          planBeat();
        }
        boolean leads = joined.leader().equals(memberId);
        if (leads && joined.skipAssignment()) {
          assignedBy = known; // It watches topics, though it has nothing to assign (KIP-814).
        }
        sendSync(leads && !joined.skipAssignment() ? shares(joined) : Map.of());
      }
      case MEMBER_ID_REQUIRED -> {
        memberId = joined.memberId();
        phase = Phase.UNJOINED;
        rejoin = true;
        wantPoll();
      }
      default -> joinFailed(joined.error());
    }
  }

  private void joinFailed(GroupError error) {
    phase = Phase.UNJOINED;
    rejoin = true;
    switch (error) {
      case UNKNOWN_MEMBER_ID -> reset(true);
      case FENCED_INSTANCE_ID -> fenced();
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> forgetCoordinator();
      case REBALANCE_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS -> {}
      case UNKNOWN_SERVER_ERROR -> {
        world.note(20, () -> name + " ends: a Join fails for good");
        end();
      }
      default -> throw oracle.violated(Invariant.CONSISTENT, name + ": a Join fails: " + error);
    }
    backOff();
  }

  private Map<MemberId, Opaque> shares(Answer.Joined joined) {
    GroupInput group =
        GroupInput.of(
            relevant(joined),
            joined.members().stream()
                .map(m -> world.codec.decode(m.metadata(), Wish.class).of(m.id()))
                .toList());
    assignedBy = known;
    Map<MemberId, Opaque> shares = new TreeMap<>();
    assignor
        .assign(group)
        .shares()
        .forEach((id, share) -> shares.put(id, world.codec.encode(share)));
    return shares;
  }

  private Map<String, PartitionSet> relevant(Answer.Joined joined) {
    Set<String> wanted = new TreeSet<>();
    joined
        .members()
        .forEach(m -> wanted.addAll(world.codec.decode(m.metadata(), Wish.class).topics()));
    Map<String, PartitionSet> relevant = new TreeMap<>(known);
    relevant.keySet().retainAll(wanted);
    return relevant;
  }

  private void sendSync(Map<MemberId, Opaque> shares) {
    String id = memberId;
    int of = generation;
    send(
        RequestKind.SYNC,
        request ->
            new GroupEvent.SyncRequested(
                request, id, profile.instanceId(), of, TYPE, assignor.name(), shares),
        REQUEST_TIMEOUT_MS,
        answer -> synced(of, answer));
  }

  private void synced(int of, Object answer) {
    if (leaving || !alive) {
      return;
    }
    GroupError error = ((Answer) answer).error();
    if (error == NONE && of == generation) {
      Opaque share = ((Answer.Synced) answer).assignment();
      lastAnswer = world.now();
      phase = Phase.STABLE;
      ready =
          new Ready(
              of,
              share.size() == 0 ? Assignment.empty() : world.codec.decode(share, Assignment.class));
      if (profile.era() == Era.V2_4) {
        planBeat();
      }
      wantPoll();
      return;
    }
    phase = Phase.UNJOINED;
    rejoin = true;
    switch (error) {
      case NONE, REBALANCE_IN_PROGRESS -> {}
      case UNKNOWN_MEMBER_ID -> reset(true);
      case FENCED_INSTANCE_ID -> fenced();
      case ILLEGAL_GENERATION -> reset(false);
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> forgetCoordinator();
      default -> throw oracle.violated(Invariant.CONSISTENT, name + ": a Sync fails: " + error);
    }
    backOff();
  }

  private void backOff() {
    world.after(100, this::wantPoll);
  }

  // The heartbeat thread.

  private void planBeat() {
    long number = ++beats;
    world.after(profile.heartbeatMs(), () -> beatDue(number));
  }

  private void beatDue(long number) {
    if (!alive || leaving || number != beats) {
      return;
    }
    if (frozenFor() > 0) {
      world.after(frozenFor(), () -> beatDue(number));
      return;
    }
    world.after(profile.heartbeatMs(), () -> beatDue(number));
    boolean joined = phase == Phase.STABLE || phase == Phase.SYNCING;
    if (!joined || generation == NO_GENERATION) {
      return;
    }
    if (link == null) {
      seek();
    } else if (world.now() - lastAnswer > profile.sessionMs()) {
      world.note(15, () -> name + " has had no answer for its session");
      forgetCoordinator();
    } else if (blockedUntil > world.now() && world.now() - blockedSince > profile.rebalanceMs()) {
      world.note(16, () -> name + " has not polled for too long and leaves");
      sendLeave();
      reset(true);
    } else {
      beat();
    }
  }

  /** A heartbeat that is overdue when the coordinator is found is sent at once. */
  private void beatNow() {
    long number = ++beats;
    world.after(1, () -> beatDue(number));
  }

  private void beat() {
    String id = memberId;
    int of = generation;
    send(
        RequestKind.HEARTBEAT,
        request -> new GroupEvent.HeartbeatRequested(request, id, profile.instanceId(), of),
        REQUEST_TIMEOUT_MS,
        answer -> told(id, of, ((Answer) answer).error()));
  }

  private void told(String id, int of, GroupError error) {
    boolean current = of == generation && id.equals(memberId);
    switch (error) {
      case NONE -> lastAnswer = world.now();
      case REBALANCE_IN_PROGRESS -> {
        lastAnswer = world.now();
        if (phase == Phase.STABLE && current) {
          rejoin = true;
          wantPoll();
        }
      }
      case ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID -> {
        if (current) {
          reset(error == GroupError.UNKNOWN_MEMBER_ID);
        }
      }
      case FENCED_INSTANCE_ID -> fenced();
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> forgetCoordinator();
      case COORDINATOR_LOAD_IN_PROGRESS -> {}
      default -> throw oracle.violated(Invariant.CONSISTENT, name + " is told " + error);
    }
  }

  /** Another process has its instance id: a fatal error, to the Java client too. */
  private void fenced() {
    world.note(19, () -> name + " is fenced and ends");
    end();
  }

  /** What it owns is lost; the application's thread will notice at its next poll. */
  private void reset(boolean withId) {
    if (withId) {
      memberId = "";
    }
    generation = NO_GENERATION;
    ready = null;
    lost = true;
    rejoin = true;
    if (phase == Phase.STABLE) {
      phase = Phase.UNJOINED;
    }
    wantPoll();
  }

  // The connection.

  private void send(
      RequestKind kind,
      java.util.function.Function<io.rebalancer.coordinator.group.RequestId, GroupEvent> event,
      int timeoutMs,
      java.util.function.Consumer<Object> handler) {
    if (link != null) {
      link.send(new Ask(kind, this, memberId, generation, Map.of(), event), timeoutMs, handler);
    }
  }

  private void forgetCoordinator() {
    if (link != null) {
      link.close();
      disconnected(link);
    }
  }

  void disconnected(Link ended) {
    if (ended != link) {
      return;
    }
    link = null;
    if (phase == Phase.JOINING || phase == Phase.SYNCING) {
      phase = Phase.UNJOINED;
      rejoin = true;
    }
    if (rejoin) {
      wantPoll();
    } else {
      seek();
    }
  }

  private void seek() {
    if (!seeking && alive && link == null) {
      seeking = true;
      world.after(1 + 2L * world.delay(), this::found);
    }
  }

  private void found() {
    if (!alive) {
      return;
    }
    if (frozenFor() > 0) {
      world.after(frozenFor(), this::found);
      return;
    }
    cluster
        .coordinator()
        .ifPresentOrElse(
            node -> {
              seeking = false;
              lastAnswer = world.now();
              link = new Link(world, oracle, this, node);
              if (rejoin) {
                wantPoll();
              }
              beatNow();
            },
            () -> world.after(world.between(100, 200), this::found));
  }

  // Positions.

  private void planCommit() {
    world.after(
        profile.commitMs(),
        () -> {
          if (alive && !leaving) {
            if (frozenFor() == 0 && phase == Phase.STABLE) {
              commit();
            }
            planCommit();
          }
        });
  }

  private void commit() {
    if (owned.isEmpty() || link == null || generation == NO_GENERATION) {
      return;
    }
    Map<TopicPartition, CommittedOffset> offsets = oracle.positions(owned);
    String id = memberId;
    int of = generation;
    link.send(
        new Ask(
            RequestKind.COMMIT,
            this,
            id,
            of,
            offsets,
            request ->
                new GroupEvent.CommitRequested(request, id, profile.instanceId(), of, offsets)),
        REQUEST_TIMEOUT_MS,
        answer -> {
          GroupError error = ((Answer) answer).error();
          if (error != NONE && error != GroupError.REBALANCE_IN_PROGRESS) {
            told(id, of, error);
          }
        });
  }

  private void fetch() {
    if (link != null && !owned.isEmpty()) {
      link.send(
          new Ask(RequestKind.FETCH, this, memberId, generation, Map.of(), null),
          REQUEST_TIMEOUT_MS,
          answer -> {
            if (answer == GroupError.NOT_COORDINATOR) {
              forgetCoordinator();
            }
          });
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
