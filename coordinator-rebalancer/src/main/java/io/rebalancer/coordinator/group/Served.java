package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.FENCED_INSTANCE_ID;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A server-assigned group: the coordinator decides who is to have what (the target) and leads every
 * member there by itself, without a barrier. A member is told of a rebalance only if it must let go
 * of partitions, or can take some; it joins again, saying what it has kept, and is answered with
 * all of its target that nobody else holds. What it has let go is thereby free for whoever waits.
 *
 * <p>To members this is the classic protocol, each its own follower. Here are their requests, and
 * how they come and go; {@link Targets} says who is to have what, {@link Granting} leads them
 * there.
 */
final class Served implements Membership {

  private static final String CONSUMER = "consumer";

  private final GroupRules rules;
  private final Granting granting;
  private final Targets targets;

  Served(GroupRules rules, Granting granting, Targets targets) {
    this.rules = rules;
    this.granting = granting;
    this.targets = targets;
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
        id, Joining.member(join, id, join.instanceId(), granting.encoded(Assignment.empty())));
    draft.shares.put(id, Share.NOTHING);
    draft.joins.put(id, join.request());
    if (draft.phase() == GroupPhase.EMPTY) {
      openWindow(draft);
    } else if (draft.initial) {
      draft.latecomers = true;
    } else {
      targets.assign(draft, Reason.MEMBER_JOIN);
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
    targets.assign(draft, Reason.INITIAL_DELAY_OVER);
  }

  @Override
  public void rejoin(Draft draft, JoinRequested join, Member known) {
    MemberId id = known.id();
    RequestId superseded = draft.joins.put(id, join.request());
    draft.reply(superseded, Answer.Joined.failed(REBALANCE_IN_PROGRESS, id.value()));
    Granting.dropParked(draft, id, REBALANCE_IN_PROGRESS);
    draft.members.put(id, Joining.member(join, id, known.instanceId(), known.assignment()));
    Share share = draft.shares.getOrDefault(id, Share.NOTHING);
    boolean sameTopics = known.topics().equals(join.topics());
    if (!share.isAfter(join.kept())) {
      Granting.keep(draft, id, join.kept());
      answerOrAssign(draft, id, !sameTopics);
      return;
    }
    draft.unconfirmed.remove(id); // Its sender may have kept more.
    if (sameTopics && draft.assigning == 0) {
      granting.repeat(draft, id); // Its sender may have gone on without it: nothing changes.
    } else {
      answerOrAssign(draft, id, !sameTopics);
    }
  }

  /** A static member's new process has kept nothing, and gets what its member is to have. */
  @Override
  public void replace(Draft draft, JoinRequested join, Member former) {
    MemberId id = join.freshId();
    Share share = draft.shares.getOrDefault(former.id(), Share.NOTHING);
    draft.cancel(Kind.SESSION, former.id());
    Granting.settleRevoking(draft, former.id(), false);
    draft.reply(
        draft.joins.remove(former.id()),
        Answer.Joined.failed(FENCED_INSTANCE_ID, former.id().value()));
    Granting.dropParked(draft, former.id(), FENCED_INSTANCE_ID);
    Replacing.swap(
        draft, former.id(), Joining.member(join, id, join.instanceId(), former.assignment()));
    draft.shares.remove(former.id());
    draft.unconfirmed.remove(former.id());
    draft.shares.put(id, share.keeping(Assignment.empty()));
    draft.joins.put(id, join.request());
    if (draft.assigning == 0) {
      answerOrAssign(draft, id, !former.topics().equals(join.topics()));
    } else {
      targets.assign(draft, Reason.MEMBER_JOIN); // What is being computed is for its former id.
    }
  }

  private void answerOrAssign(Draft draft, MemberId id, boolean wantsOther) {
    if (draft.initial) {
      return;
    }
    if (wantsOther) {
      targets.assign(draft, Reason.SUBSCRIPTION_CHANGE);
    } else if (draft.assigning == 0) {
      granting.answer(draft, id);
      Granting.settlePhase(draft);
    }
  }

  // Requests of members.

  Step heartbeat(GroupState before, HeartbeatRequested beat) {
    GroupState group = before;
    List<GroupEffect> effects = new ArrayList<>(2);
    Member member = group.member(beat.memberId());
    GroupError error = refusal(group, beat.memberId(), beat.instanceId(), beat.generation());
    if (error == NONE && member != null) {
      if (group.serving().unconfirmed().containsKey(member.id())) {
        Draft draft = new Draft(group);
        Granting.confirm(draft, member.id());
        Step confirmed = draft.done();
        group = confirmed.state();
        effects.addAll(confirmed.effects());
      }
      effects.add(
          new GroupEffect.ArmTimer(
              new TimerId(Kind.SESSION, member.id().value()), member.sessionTimeoutMs()));
      boolean mustJoin = OverFull.mustJoin(group, member.id(), rules.maxSize());
      boolean hasNews = mustJoin || group.shares().hasNewsFor(member.id());
      error = hasNews ? REBALANCE_IN_PROGRESS : NONE;
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
    Granting.confirm(draft, member.id());
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
    draft.unconfirmed.remove(id);
    if (member == null || share == null) {
      return;
    }
    draft.cancel(Kind.SESSION, id);
    Granting.settleRevoking(draft, id, false);
    draft.reply(draft.joins.remove(id), Answer.Joined.failed(UNKNOWN_MEMBER_ID, id.value()));
    Granting.dropParked(draft, id, UNKNOWN_MEMBER_ID);
    if (!share.target().isEmpty()) {
      draft.gone.merge(nameOf(member), share.target(), Assignment::plus);
    }
  }

  /** What a member is recognised by when it comes back under a new id. */
  static String nameOf(Member member) {
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
      targets.assign(draft, reason);
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
          Granting.armRevocation(draft, member);
        } else if (draft.revoking.containsKey(member)) {
          drop(draft, member);
          afterDrop(draft, Reason.REVOCATION_TIMEOUT);
        }
      }
      case STORE -> Granting.store(draft);
      case DELAY -> targets.delayOver(draft);
      case REBALANCE,
          SYNC,
          NEW_MEMBER,
          SESSION,
          PENDING,
          ASSIGNMENT,
          LED_DELAY -> {} // Silence's, the targets', or of classic groups.
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
    Granting.store(draft);
  }

  // The coordinator's own.

  Step topicsChanged(GroupState group, Set<String> topics) {
    Draft draft = new Draft(group);
    boolean concerned =
        draft.members.values().stream()
            .anyMatch(m -> m.topics().stream().anyMatch(topics::contains));
    if (concerned && !draft.initial) {
      targets.assign(draft, Reason.TOPIC_CHANGE);
    }
    return draft.done();
  }

  /** A delay begins anew: how much of it was over went with the former coordinator. */
  void restored(Draft draft) {
    draft.shares.forEach(
        (id, share) -> {
          draft.members.computeIfPresent(
              id, (each, member) -> member.withAssignment(granting.encoded(share.granted())));
          Granting.settleRevoking(draft, id, share.mustLetGo());
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
