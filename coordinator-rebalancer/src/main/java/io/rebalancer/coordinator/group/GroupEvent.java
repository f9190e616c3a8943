package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Everything that can happen to one group; expired timers and storage answers are events too. */
public sealed interface GroupEvent {

  <R> R accept(Visitor<R> visitor);

  /**
   * A client wants to be a member of the next generation.
   *
   * @param memberId empty on its first try
   * @param freshId what it is to be called if it has no id yet
   * @param idRequired whether it must come back with its id before it counts (Join v4+, KIP-394)
   * @param canSkipAssignment whether it can be told that it leads and has nothing to assign (Join
   *     v9+, KIP-814)
   * @param instanceId of a static member, empty for a dynamic one
   * @param kept what it says it still has
   * @param reason why it joins, in its own words (KIP-800); empty when it does not say
   */
  record JoinRequested(
      RequestId request,
      String memberId,
      MemberId freshId,
      boolean idRequired,
      boolean canSkipAssignment,
      String instanceId,
      ClientInfo client,
      int sessionTimeoutMs,
      int rebalanceTimeoutMs,
      String protocolType,
      List<Protocol> protocols,
      Set<String> topics,
      Kept kept,
      String reason)
      implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onJoin(this);
    }
  }

  /**
   * A member asks for its part of the assignment; only the group leader's request carries one.
   *
   * @param protocolType empty when the request does not say (before v5)
   * @param protocol empty when the request does not say (before v5)
   * @param delayMs how long the group leader lets partitions of vanished members wait for them; 0
   *     when it does not, or does not say
   */
  record SyncRequested(
      RequestId request,
      String memberId,
      String instanceId,
      int generation,
      String protocolType,
      String protocol,
      Map<MemberId, Opaque> assignments,
      int delayMs)
      implements GroupEvent {

    /** Of a client that delays nothing. */
    public SyncRequested(
        RequestId request,
        String memberId,
        String instanceId,
        int generation,
        String protocolType,
        String protocol,
        Map<MemberId, Opaque> assignments) {
      this(request, memberId, instanceId, generation, protocolType, protocol, assignments, 0);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onSync(this);
    }
  }

  /** A member is alive, and asks whether its generation still is. */
  record HeartbeatRequested(RequestId request, String memberId, String instanceId, int generation)
      implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onHeartbeat(this);
    }
  }

  /** Members leave: themselves, or by an administrator's hand. */
  record LeaveRequested(RequestId request, List<Identity> members) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onLeave(this);
    }
  }

  /**
   * One who is to leave.
   *
   * @param memberId empty where an administrator removes whoever has the instance id
   * @param instanceId empty for a dynamic member
   * @param reason why it leaves, in its own words (KIP-800); empty when it does not say
   */
  record Identity(String memberId, String instanceId, String reason) {}

  /**
   * Positions are to be stored.
   *
   * @param memberId empty, with a negative generation, for clients outside any membership
   */
  record CommitRequested(
      RequestId request,
      String memberId,
      String instanceId,
      int generation,
      Map<TopicPartition, CommittedOffset> offsets)
      implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onCommit(this);
    }
  }

  /** An administrator wants the group gone, with its positions. */
  record DeleteRequested(RequestId request) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onDelete(this);
    }
  }

  /** An administrator wants these positions gone. */
  record OffsetDeleteRequested(RequestId request, Set<TopicPartition> partitions)
      implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onOffsetDelete(this);
    }
  }

  /** No position is left, and the time to keep them is over. */
  record OffsetsExpired() implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onOffsetsExpired(this);
    }
  }

  /** A timer that was armed and neither armed again nor cancelled since has run out. */
  record TimerExpired(TimerId timer) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onTimer(this);
    }
  }

  /** The store has what {@link GroupEffect.Persist} with this token gave it. */
  record Persisted(long write) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onPersisted(this);
    }
  }

  /** The store does not have it, and never will. */
  record PersistFailed(long write, GroupError error) implements GroupEvent {

    /** Whether the same would fail again. */
    boolean isFinal() {
      return error == GroupError.UNKNOWN_SERVER_ERROR;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onPersistFailed(this);
    }
  }

  /** The assignment that {@link GroupEffect.Assign} of this generation asked for. */
  record Assigned(int generation, Map<MemberId, Assignment> targets) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAssigned(this);
    }
  }

  /** There is none: the assignor failed. */
  record AssignFailed(int generation) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAssignFailed(this);
    }
  }

  /** The partitions of these topics changed, or the topics came or went. */
  record TopicsChanged(Set<String> topics) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onTopicsChanged(this);
    }
  }

  /** This group was just read back from the store by a coordinator that took its slot. */
  record Restored() implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRestored(this);
    }
  }

  /** This coordinator serves the group no longer; whoever waits is told {@code error}. */
  record Resigned(GroupError error) implements GroupEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onResigned(this);
    }
  }

  /** A new event does not compile until it is handled. */
  interface Visitor<R> {
    R onJoin(JoinRequested event);

    R onSync(SyncRequested event);

    R onHeartbeat(HeartbeatRequested event);

    R onLeave(LeaveRequested event);

    R onCommit(CommitRequested event);

    R onDelete(DeleteRequested event);

    R onOffsetDelete(OffsetDeleteRequested event);

    R onOffsetsExpired(OffsetsExpired event);

    R onTimer(TimerExpired event);

    R onPersisted(Persisted event);

    R onPersistFailed(PersistFailed event);

    R onAssigned(Assigned event);

    R onAssignFailed(AssignFailed event);

    R onTopicsChanged(TopicsChanged event);

    R onRestored(Restored event);

    R onResigned(Resigned event);
  }
}
