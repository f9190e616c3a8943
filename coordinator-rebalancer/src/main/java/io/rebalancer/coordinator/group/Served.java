package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.FENCED_INSTANCE_ID;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_SERVER_ERROR;
import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A server-assigned group: the coordinator decides who is to have what (the target) and leads every
 * member there by itself, without a barrier. A member is told of a rebalance only if it must let go
 * of partitions, or can take some; it joins again, saying what it has kept, and is answered with
 * all of its target that nobody else holds. What it has let go is thereby free for whoever waits.
 *
 * <p>To members this is the classic protocol, each its own follower. No answer before the shares it
 * rests on are stored; one write is under way at a time, and the next takes all that came.
 */
final class Served implements Membership {

  private static final String CONSUMER = "consumer";
  private static final int STORE_AGAIN_MS = 1_000;

  private final GroupRules rules;
  private final Function<Assignment, Opaque> encoder;

  /** {@code encoder} makes of partitions what a Sync is answered with. */
  Served(GroupRules rules, Function<Assignment, Opaque> encoder) {
    this.rules = rules;
    this.encoder = encoder;
  }

  // Joining.

  /** The shares are in subscriptions and assignments, which only consumers send. */
  @Override
  public boolean speaksWith(GroupState group, JoinRequested join) {
    return join.protocolType().equals(CONSUMER);
  }

  @Override
  public void admit(Draft draft, JoinRequested join, MemberId id) {
    draft.protocolType = join.protocolType();
    draft.members.put(
        id, Joining.member(join, id, join.instanceId(), encoder.apply(Assignment.empty())));
    draft.shares.put(id, Share.NOTHING);
    draft.joins.put(id, join.request());
    if (draft.phase() == GroupPhase.EMPTY) {
      openWindow(draft);
    } else if (draft.initial) {
      draft.latecomers = true;
    } else {
      assign(draft, Reason.MEMBER_JOIN);
    }
  }

  /** The first member of an empty group would be given everything, to be told to let go of it. */
  private void openWindow(Draft draft) {
    draft.initial = true;
    draft.latecomers = false;
    draft.leader = "";
    draft.delayMs = rules.initialRebalanceDelayMs();
    draft.remainingMs = Math.max(draft.rebalanceTimeoutMs() - draft.delayMs, 0);
    draft.moveTo(GroupPhase.ASSIGNING, Reason.MEMBER_JOIN);
    draft.arm(Kind.INITIAL_DELAY, draft.delayMs);
  }

  private void closeWindow(Draft draft) {
    draft.initial = false;
    assign(draft, Reason.INITIAL_DELAY_OVER);
  }

  @Override
  public void rejoin(Draft draft, JoinRequested join, Member known) {
    MemberId id = known.id();
    RequestId superseded = draft.joins.put(id, join.request());
    draft.reply(superseded, Answer.Joined.failed(REBALANCE_IN_PROGRESS, id.value()));
    dropParked(draft, id, REBALANCE_IN_PROGRESS);
    draft.members.put(id, Joining.member(join, id, known.instanceId(), known.assignment()));
    draft.shares.computeIfPresent(id, (each, share) -> share.keeping(join.kept()));
    answerOrAssign(draft, id, !known.topics().equals(join.topics()));
  }

  /** A static member's new process has kept nothing, and gets what its member is to have. */
  @Override
  public void replace(Draft draft, JoinRequested join, Member former) {
    MemberId id = join.freshId();
    Share share = draft.shares.getOrDefault(former.id(), Share.NOTHING);
    draft.cancel(Kind.SESSION, former.id());
    settleRevoking(draft, former.id(), false);
    draft.reply(
        draft.joins.remove(former.id()),
        Answer.Joined.failed(FENCED_INSTANCE_ID, former.id().value()));
    dropParked(draft, former.id(), FENCED_INSTANCE_ID);
    Replacing.swap(
        draft, former.id(), Joining.member(join, id, join.instanceId(), former.assignment()));
    draft.shares.remove(former.id());
    draft.shares.put(id, share.keeping(Kept.NOTHING));
    draft.joins.put(id, join.request());
    if (draft.assigning == 0) {
      answerOrAssign(draft, id, !former.topics().equals(join.topics()));
    } else {
      assign(draft, Reason.MEMBER_JOIN); // What is being computed is for its former id.
    }
  }

  private void answerOrAssign(Draft draft, MemberId id, boolean wantsOther) {
    if (draft.initial) {
      return;
    }
    if (wantsOther) {
      assign(draft, Reason.SUBSCRIPTION_CHANGE);
    } else if (draft.assigning == 0) {
      answer(draft, id);
      settlePhase(draft);
    }
  }

  /** Grants what can be granted, and tells it once that is stored. */
  private void answer(Draft draft, MemberId id) {
    RequestId request = draft.joins.remove(id);
    Member member = requireNonNull(draft.members.get(id), "member");
    Share before = draft.shares.getOrDefault(id, Share.NOTHING);
    Share share =
        before.granting(draft.generation, Shares.free(draft.shares, id, before.missing()));
    draft.shares.put(id, share);
    Opaque part = encoder.apply(share.granted());
    draft.members.put(id, member.withAssignment(part));
    settleRevoking(draft, id, share.mustLetGo());
    if (request != null) {
      Answer.Joined answer =
          new Answer.Joined(
              NONE,
              draft.generation,
              draft.protocolType,
              member.protocols().get(0).name(),
              "",
              id.value(),
              false,
              List.of(),
              part,
              0);
      draft.parked.add(new Serving.Parked(store(draft), request, id, answer));
    }
  }

  /** Lets the time to let go of partitions run, from when it is first due, or stops it. */
  private static void settleRevoking(Draft draft, MemberId id, boolean due) {
    if (due && draft.revoking.putIfAbsent(id, Assignment.empty()) == null) {
      armRevocation(draft, id);
    } else if (!due && draft.revoking.remove(id) != null) {
      draft.cancel(Kind.REVOCATION, id);
    }
  }

  private static void armRevocation(Draft draft, MemberId id) {
    draft.arm(Kind.REVOCATION, id, requireNonNull(draft.members.get(id)).rebalanceTimeoutMs());
  }

  /**
   * What a member is to let go of it learns by an answer, which may have waited for the store for
   * long: its time starts anew. Not for what it was told before, else joining again would do.
   */
  private static void toldToLetGo(Draft draft, MemberId id, Share share) {
    Assignment before = draft.revoking.get(id);
    Assignment now = share.held().minus(share.granted());
    if (before != null && (now.isEmpty() || !now.equals(before))) {
      draft.revoking.put(id, now);
      armRevocation(draft, id);
    }
  }

  private static void dropParked(Draft draft, MemberId id, GroupError error) {
    for (Serving.Parked each : List.copyOf(draft.parked)) {
      if (each.member().equals(id)) {
        draft.parked.remove(each);
        draft.reply(each.request(), Answer.Joined.failed(error, id.value()));
      }
    }
  }

  // Requests of members.

  Step heartbeat(GroupState group, HeartbeatRequested beat) {
    List<GroupEffect> effects = new ArrayList<>(2);
    Member member = group.member(beat.memberId());
    GroupError error = refusal(group, beat.memberId(), beat.instanceId(), beat.generation());
    if (error == NONE && member != null) {
      effects.add(
          new GroupEffect.ArmTimer(
              new TimerId(Kind.SESSION, member.id().value()), member.sessionTimeoutMs()));
      error = group.shares().hasNewsFor(member.id()) ? REBALANCE_IN_PROGRESS : NONE;
    }
    effects.add(new GroupEffect.Reply(beat.request(), new Answer.Plain(error)));
    return new Step(group, effects);
  }

  Step sync(GroupState group, SyncRequested sync) {
    Draft draft = new Draft(group);
    Member member = group.member(sync.memberId());
    GroupError error = refusal(group, sync.memberId(), sync.instanceId(), sync.generation());
    if (error != NONE || member == null) {
      draft.reply(sync.request(), Answer.Synced.failed(error));
      return draft.done();
    }
    String protocol = member.protocols().get(0).name();
    boolean differs =
        (!sync.protocolType().isEmpty() && !sync.protocolType().equals(draft.protocolType))
            || (!sync.protocol().isEmpty() && !sync.protocol().equals(protocol));
    if (differs) {
      draft.reply(sync.request(), Answer.Synced.failed(INCONSISTENT_GROUP_PROTOCOL));
      return draft.done();
    }
    draft.reply(
        sync.request(), new Answer.Synced(NONE, draft.protocolType, protocol, member.assignment()));
    draft.arm(Kind.SESSION, member.id(), member.sessionTimeoutMs());
    return draft.done();
  }

  private static GroupError refusal(
      GroupState group, String memberId, String instanceId, int generation) {
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    GroupError identity = group.check(memberId, instanceId);
    Member member = group.member(memberId);
    if (identity != NONE || member == null) {
      return identity;
    }
    return group.isIn(generation, member) ? NONE : ILLEGAL_GENERATION;
  }

  // Going.

  @Override
  public void drop(Draft draft, MemberId id) {
    Member member = draft.members.remove(id);
    Share share = draft.shares.remove(id);
    if (member == null || share == null) {
      return;
    }
    draft.cancel(Kind.SESSION, id);
    settleRevoking(draft, id, false);
    draft.reply(draft.joins.remove(id), Answer.Joined.failed(UNKNOWN_MEMBER_ID, id.value()));
    dropParked(draft, id, UNKNOWN_MEMBER_ID);
    if (!share.target().isEmpty()) {
      draft.gone.merge(nameOf(member), share.target(), Assignment::plus);
    }
  }

  /** What a member is recognised by when it comes back under a new id. */
  private static String nameOf(Member member) {
    return member.isStatic() ? member.instanceId() : member.client().clientId();
  }

  @Override
  public void afterDrop(Draft draft, Reason reason) {
    if (draft.members.isEmpty()) {
      if (draft.phase() != GroupPhase.EMPTY) { // Else only an id that was handed out has left.
        becomeEmpty(draft, reason);
      }
      return;
    }
    int delayMs = rules.options(draft.id).maxDelayMs();
    boolean vanished = reason != Reason.MEMBER_LEAVE;
    if (vanished && delayMs > 0 && !draft.gone.isEmpty()) {
      if (draft.lost.isEmpty()) {
        draft.arm(Kind.DELAY, delayMs);
      }
      draft.gone.forEach((name, share) -> draft.lost.merge(name, share, Assignment::plus));
    }
    if (!draft.initial) {
      assign(draft, reason);
    }
  }

  @Override
  public void afterPending(Draft draft) {} // Nobody waits for an id here.

  Step expired(GroupState group, TimerId timer) {
    Draft draft = new Draft(group);
    switch (timer.kind()) {
      case INITIAL_DELAY -> {
        if (draft.initial && !Expiry.extendInitialDelay(draft, rules)) {
          closeWindow(draft);
        }
      }
      case REVOCATION -> {
        MemberId member = new MemberId(timer.member());
        if (draft.revoking.containsKey(member) && draft.waits(member)) {
          // It has come, and cannot let go before it is told: the store is what takes so long.
          armRevocation(draft, member);
        } else if (draft.revoking.containsKey(member)) {
          drop(draft, member);
          afterDrop(draft, Reason.REVOCATION_TIMEOUT);
        }
      }
      case STORE -> store(draft);
      case DELAY -> delayOver(draft);
      case REBALANCE, SYNC, NEW_MEMBER, SESSION, PENDING -> {} // Silence's, or of classic groups.
    }
    return draft.done();
  }

  private static void becomeEmpty(Draft draft, Reason reason) {
    draft.cancel(Kind.INITIAL_DELAY);
    draft.cancel(Kind.DELAY);
    draft.initial = false;
    draft.lost.clear();
    draft.assigning = 0;
    draft.again = null;
    draft.protocol = "";
    draft.nextGeneration();
    draft.moveTo(GroupPhase.EMPTY, reason);
    store(draft);
  }

  /** Who came back is to have again what it lost; the rest is for everybody. */
  private void delayOver(Draft draft) {
    if (draft.lost.isEmpty()) {
      return;
    }
    for (Member member : draft.members.values()) {
      Assignment lost = draft.lost.get(nameOf(member));
      Share share = draft.shares.getOrDefault(member.id(), Share.NOTHING);
      if (lost != null && share.target().isEmpty()) {
        draft.shares.put(member.id(), share.withTarget(lost));
        draft.lost.remove(nameOf(member));
      }
    }
    draft.lost.clear();
    assign(draft, Reason.DELAY_OVER);
  }

  // Targets.

  /** Asks for a new assignment; what changes while one is computed waits for the next. */
  private void assign(Draft draft, Reason reason) {
    if (draft.assigning != 0) {
      draft.again = reason;
      return;
    }
    draft.nextGeneration();
    draft.moveTo(GroupPhase.ASSIGNING, reason);
    draft.assigning = draft.generation;
    GroupOptions options = rules.options(draft.id);
    if (options.isServer()) {
      draft.protocol = options.assignor();
    }
    List<GroupEffect.Claimant> claimants = new ArrayList<>();
    for (Member member : draft.members.values()) {
      claimants.add(
          new GroupEffect.Claimant(
              member.id(),
              member.instanceId(),
              member.topics(),
              draft.shares.getOrDefault(member.id(), Share.NOTHING).target()));
    }
    draft.add(new GroupEffect.Assign(draft.generation, draft.protocol, claimants));
  }

  Step assigned(GroupState group, GroupEvent.Assigned event) {
    Draft draft = new Draft(group);
    if (event.generation() != draft.assigning) {
      return draft.done(); // Of a group that has become empty since.
    }
    draft.assigning = 0;
    targets(draft, event.targets())
        .forEach((id, target) -> draft.shares.computeIfPresent(id, (e, s) -> s.withTarget(target)));
    draft.shares.forEach((id, share) -> settleRevoking(draft, id, share.mustLetGo()));
    Reason again = draft.again;
    if (again != null) {
      draft.again = null;
      assign(draft, again);
    } else {
      List.copyOf(draft.joins.keySet()).forEach(id -> answer(draft, id));
      store(draft);
      settlePhase(draft);
    }
    return draft.done();
  }

  /**
   * While partitions wait for whoever lost them nothing else changes hands: everybody keeps what it
   * has, and what is neither kept nor lost goes to whom the assignor gave it.
   */
  private static Map<MemberId, Assignment> targets(
      Draft draft, Map<MemberId, Assignment> assigned) {
    if (draft.lost.isEmpty()) {
      return assigned;
    }
    Assignment lost = draft.lost.values().stream().reduce(Assignment.empty(), Assignment::plus);
    Assignment all = assigned.values().stream().reduce(Assignment.empty(), Assignment::plus);
    Map<MemberId, Assignment> kept = new LinkedHashMap<>();
    Assignment spoken = lost;
    for (MemberId id : assigned.keySet()) {
      Member member = draft.members.get(id);
      Share share = draft.shares.getOrDefault(id, Share.NOTHING);
      Assignment keeps =
          member == null ? Assignment.empty() : only(share.target().and(all), member);
      kept.put(id, keeps);
      spoken = spoken.plus(keeps);
    }
    Assignment taken = spoken;
    Map<MemberId, Assignment> targets = new LinkedHashMap<>();
    assigned.forEach(
        (id, given) ->
            targets.put(id, kept.getOrDefault(id, Assignment.empty()).plus(given.minus(taken))));
    return targets;
  }

  private static Assignment only(Assignment partitions, Member member) {
    Map<String, PartitionSet> wanted = new LinkedHashMap<>();
    partitions
        .topics()
        .forEach(
            (topic, set) -> {
              if (member.topics().contains(topic)) {
                wanted.put(topic, set);
              }
            });
    return Assignment.copyOf(wanted);
  }

  /** The assignor failed: everybody keeps what it has, and whoever waits is told. */
  Step notAssigned(GroupState group, GroupEvent.AssignFailed event) {
    Draft draft = new Draft(group);
    if (event.generation() != draft.assigning) {
      return draft.done();
    }
    draft.assigning = 0;
    draft.joins.forEach(
        (id, request) -> {
          draft.reply(request, Answer.Joined.failed(UNKNOWN_SERVER_ERROR, id.value()));
          draft.arm(Kind.SESSION, id, requireNonNull(draft.members.get(id)).sessionTimeoutMs());
        });
    draft.joins.clear();
    Reason again = draft.again;
    draft.again = null;
    if (again != null) {
      assign(draft, again);
    } else {
      settlePhase(draft);
    }
    return draft.done();
  }

  private static void settlePhase(Draft draft) {
    if (draft.assigning != 0 || draft.initial) {
      return;
    }
    GroupPhase phase = new Shares(draft.shares, draft.lost).phase();
    if (phase != draft.phase()) {
      draft.moveTo(phase, phase == GroupPhase.STABLE ? Reason.RECONCILED : Reason.ASSIGNED);
    }
  }

  // Storing.

  /** The token to wait for until everything of now is stored. */
  private static long store(Draft draft) {
    if (draft.writing == 0) {
      draft.writing = draft.persist(draft.hard());
      return draft.writing;
    }
    draft.dirty = true;
    return draft.writing + 1;
  }

  Step stored(GroupState group, long write, GroupError error) {
    Draft draft = new Draft(group);
    draft.ended(write, error == NONE);
    if (write != draft.writing) {
      return draft.done();
    }
    draft.writing = 0;
    for (Serving.Parked each : List.copyOf(draft.parked)) {
      if (each.write() <= write) {
        draft.parked.remove(each);
        tell(draft, each, error);
      }
    }
    if (error == NONE) {
      draft.cancel(Kind.STORE);
    }
    if (draft.dirty) {
      draft.dirty = false;
      store(draft);
    } else if (error == REBALANCE_IN_PROGRESS) { // Out of reach: what nobody waits for counts too.
      draft.arm(Kind.STORE, STORE_AGAIN_MS);
    }
    return draft.done();
  }

  private static void tell(Draft draft, Serving.Parked parked, GroupError error) {
    MemberId id = parked.member();
    if (error != NONE) {
      draft.reply(parked.request(), Answer.Joined.failed(error, id.value()));
    } else {
      Share share = draft.shares.getOrDefault(id, Share.NOTHING);
      draft.add(
          new GroupEffect.Shared(
              requireNonNull(draft.members.get(id)),
              parked.answer().generation(),
              share.granted()));
      draft.reply(parked.request(), parked.answer());
      toldToLetGo(draft, id, share);
    }
    draft.arm(Kind.SESSION, id, requireNonNull(draft.members.get(id)).sessionTimeoutMs());
  }

  // The coordinator's own.

  Step topicsChanged(GroupState group, Set<String> topics) {
    Draft draft = new Draft(group);
    boolean concerned =
        draft.members.values().stream()
            .anyMatch(m -> m.topics().stream().anyMatch(topics::contains));
    if (concerned && !draft.initial) {
      assign(draft, Reason.TOPIC_CHANGE);
    }
    return draft.done();
  }

  /** A delay begins anew: how much of it was over went with the former coordinator. */
  void restored(Draft draft) {
    draft.shares.forEach(
        (id, share) -> {
          draft.members.computeIfPresent(
              id, (each, member) -> member.withAssignment(encoder.apply(share.granted())));
          settleRevoking(draft, id, share.mustLetGo());
        });
    if (!draft.lost.isEmpty()) {
      draft.arm(Kind.DELAY, rules.options(draft.id).maxDelayMs());
    }
  }

  void resign(Draft draft, GroupError error) {
    for (Serving.Parked each : draft.parked) {
      draft.reply(each.request(), Answer.Joined.failed(error, each.member().value()));
    }
    draft.parked.clear();
  }
}
