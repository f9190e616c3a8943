package io.rebalancer.coordinator.simulation;

import static io.rebalancer.coordinator.group.GroupError.NONE;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** How a member joins, as its client's era does: a Join, and a Sync, with what it says in them. */
final class Joins {

  private static final MemberAssignor EAGER = Assignors.named("sticky");
  private static final MemberAssignor COOPERATIVE = Assignors.named("cooperative-sticky");

  private final World world;
  private final Oracle oracle;
  private final MemberModel member;
  private final MemberAssignor assignor;

  Joins(World world, Oracle oracle, MemberModel member) {
    this.world = world;
    this.oracle = oracle;
    this.member = member;
    assignor = member.profile.cooperative() ? COOPERATIVE : EAGER;
  }

  private Wish wish() {
    if (!member.profile.cooperative()) {
      return new Wish(member.topics, member.last, member.syncedGeneration);
    }
    int claimed =
        switch (member.profile.era()) {
          case V2_4 -> MemberModel.NO_GENERATION;
          case V2_8 -> member.syncedGeneration;
          case V3_4 -> member.generation;
        };
    return new Wish(member.topics, member.owned, claimed);
  }

  /**
   * Subscriptions have a word for the generation from 3.4 on; what user data say is not looked at.
   */
  private Kept kept(Wish claim) {
    Assignment kept = member.profile.cooperative() ? claim.owned() : Assignment.empty();
    return new Kept(
        kept, member.profile.era() == Era.V3_4 ? member.generation : MemberModel.NO_GENERATION);
  }

  void send() {
    member.phase = MemberModel.Phase.JOINING;
    member.rejoin = false;
    member.assignedBy = null;
    member.ready = null;
    String id = member.memberId;
    Set<String> wanted = member.topics;
    Wish claim = wish();
    Kept kept = kept(claim);
    List<Protocol> protocols = List.of(new Protocol(assignor.name(), world.codec.encode(claim)));
    member.send(
        RequestKind.JOIN,
        request ->
            new GroupEvent.JoinRequested(
                request,
                id,
                oracle.freshId(member),
                member.profile.idRequired(),
                member.profile.era() == Era.V3_4,
                member.profile.instanceId(),
                new ClientInfo(member.name, "host", member.profile.software()),
                member.profile.sessionMs(),
                member.profile.rebalanceMs(),
                MemberModel.TYPE,
                protocols,
                wanted,
                kept,
                ""),
        member.profile.rebalanceMs() + 5_000,
        answer -> {
          if (answer instanceof Answer.Joined joined) {
            joined(joined);
          } else {
            joinFailed(((Answer.Plain) answer).error());
          }
        });
  }

  private void joined(Answer.Joined joined) {
    if (member.leaving || !member.alive) {
      return;
    }
    switch (joined.error()) {
      case NONE -> {
        member.memberId = joined.memberId();
        member.generation = joined.generation();
        member.heard();
        member.phase = MemberModel.Phase.SYNCING;
        if (member.profile.era() != Era.V2_4) {
          member.heart.plan();
        }
        boolean leads = joined.leader().equals(member.memberId);
        if (leads && joined.skipAssignment()) {
          member.assignedBy =
              member.known; // It watches topics, though it has nothing to assign (KIP-814).
        }
        sendSync(leads && !joined.skipAssignment() ? shares(joined) : Map.of());
      }
      case MEMBER_ID_REQUIRED -> {
        member.memberId = joined.memberId();
        member.phase = MemberModel.Phase.UNJOINED;
        member.rejoin = true;
        member.wantPoll();
      }
      default -> joinFailed(joined.error());
    }
  }

  private void joinFailed(GroupError error) {
    member.phase = MemberModel.Phase.UNJOINED;
    member.rejoin = true;
    switch (error) {
      case UNKNOWN_MEMBER_ID -> member.reset(true);
      case FENCED_INSTANCE_ID -> member.fenced();
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> member.forgetCoordinator();
      case REBALANCE_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS -> {}
      case UNKNOWN_SERVER_ERROR -> {
        world.note(20, () -> member.name + " ends: a Join fails for good");
        member.end();
      }
      default ->
          throw oracle.violated(Invariant.CONSISTENT, member.name + ": a Join fails: " + error);
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
    member.assignedBy = member.known;
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
    Map<String, PartitionSet> relevant = new TreeMap<>(member.known);
    relevant.keySet().retainAll(wanted);
    return relevant;
  }

  private void sendSync(Map<MemberId, Opaque> shares) {
    String id = member.memberId;
    int of = member.generation;
    member.send(
        RequestKind.SYNC,
        request ->
            new GroupEvent.SyncRequested(
                request,
                id,
                member.profile.instanceId(),
                of,
                MemberModel.TYPE,
                assignor.name(),
                shares),
        MemberModel.REQUEST_TIMEOUT_MS,
        answer -> synced(of, answer));
  }

  private void synced(int of, Object answer) {
    if (member.leaving || !member.alive) {
      return;
    }
    GroupError error = ((Answer) answer).error();
    if (error == NONE && of == member.generation) {
      Opaque share = ((Answer.Synced) answer).assignment();
      member.heard();
      member.phase = MemberModel.Phase.STABLE;
      member.ready =
          new MemberModel.Ready(
              of,
              share.size() == 0 ? Assignment.empty() : world.codec.decode(share, Assignment.class));
      if (member.profile.era() == Era.V2_4) {
        member.heart.plan();
      }
      member.wantPoll();
      return;
    }
    member.phase = MemberModel.Phase.UNJOINED;
    member.rejoin = true;
    switch (error) {
      case NONE, REBALANCE_IN_PROGRESS -> {}
      case UNKNOWN_MEMBER_ID -> member.reset(true);
      case FENCED_INSTANCE_ID -> member.fenced();
      case ILLEGAL_GENERATION -> member.reset(false);
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> member.forgetCoordinator();
      default ->
          throw oracle.violated(Invariant.CONSISTENT, member.name + ": a Sync fails: " + error);
    }
    backOff();
  }

  private void backOff() {
    world.after(100, member::wantPoll);
  }
}
