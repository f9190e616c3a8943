package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.MemberId;
import java.util.List;
import java.util.Set;

/** What a request is answered with; the wire package makes Kafka's message of it. */
public sealed interface Answer {

  GroupError error();

  /**
   * The same, saying how long the partitions of vanished members of a server-assigned group still
   * wait, in milliseconds; 0 for not at all. Answers that have no room for it stay as they are.
   */
  default Answer withDelayMs(int remainingMs) {
    return this;
  }

  /** Nothing but an error code, or success without content. */
  record Plain(GroupError error, int delayMs) implements Answer {
    public Plain(GroupError error) {
      this(error, 0);
    }

    @Override
    public Plain withDelayMs(int remainingMs) {
      return new Plain(error, remainingMs);
    }
  }

  /**
   * To a Join.
   *
   * @param skipAssignment whether a group leader is to leave the assignment as it is (KIP-814)
   * @param part what the member has from now on, where the coordinator assigns; else empty bytes
   * @param delayMs as {@link Answer#withDelayMs}
   * @param members filled for the group leader only, with each member's metadata for the protocol
   */
  record Joined(
      GroupError error,
      int generation,
      String protocolType,
      String protocol,
      String leader,
      String memberId,
      boolean skipAssignment,
      List<JoinedMember> members,
      Opaque part,
      int delayMs)
      implements Answer {

    @Override
    public Joined withDelayMs(int remainingMs) {
      return new Joined(
          error,
          generation,
          protocolType,
          protocol,
          leader,
          memberId,
          skipAssignment,
          members,
          part,
          remainingMs);
    }

    /** Of a classic group. */
    public Joined(
        GroupError error,
        int generation,
        String protocolType,
        String protocol,
        String leader,
        String memberId,
        boolean skipAssignment,
        List<JoinedMember> members) {
      this(
          error,
          generation,
          protocolType,
          protocol,
          leader,
          memberId,
          skipAssignment,
          members,
          Opaque.empty(),
          0);
    }

    static Joined failed(GroupError error, String memberId) {
      return new Joined(error, -1, "", "", "", memberId, false, List.of());
    }
  }

  /** One member, as the group leader is told of it. */
  record JoinedMember(MemberId id, String instanceId, Opaque metadata) {}

  /** To a Sync. */
  record Synced(GroupError error, String protocolType, String protocol, Opaque assignment)
      implements Answer {

    static Synced failed(GroupError error) {
      return new Synced(error, "", "", Opaque.empty());
    }
  }

  /**
   * To an OffsetDelete.
   *
   * @param subscribed topics whose positions were left alone, since members want them
   */
  record OffsetsDeleted(GroupError error, Set<String> subscribed) implements Answer {}

  /** To a Leave: one result per identity, in the order asked. */
  record Left(GroupError error, List<Result> results) implements Answer {
    /** Of one identity. */
    public record Result(GroupEvent.Identity identity, GroupError error) {}
  }
}
