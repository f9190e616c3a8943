package io.rebalancer.coordinator.group;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import org.jspecify.annotations.Nullable;

/**
 * A group at one moment.
 *
 * @param hard what is persisted
 */
public record GroupState(
    GroupId id, GroupPhase phase, HardState hard, Waiting waiting, Round round, Serving serving) {

  private static final String CONSUMERS = "consumer";

  public GroupState {
    requireNonNull(id, "id");
    if (phase == GroupPhase.EMPTY && !hard.members().isEmpty()) {
      throw new IllegalStateException(
          id + ": expected no members in Empty, found " + hard.members().keySet());
    }
  }

  /** A group nobody has heard of. */
  public static GroupState fresh(GroupId id) {
    return new GroupState(
        id,
        GroupPhase.EMPTY,
        HardState.empty(),
        Waiting.NOBODY,
        Round.none(false, HardState.empty()),
        Serving.NOTHING);
  }

  /** A group as the store has it: Stable in its last completed generation, or Empty. */
  public static GroupState restored(GroupId id, HardState hard) {
    GroupPhase phase = hard.members().isEmpty() ? GroupPhase.EMPTY : GroupPhase.STABLE;
    if (hard.shares() != null) {
      phase = hard.shares().phase();
    }
    return new GroupState(id, phase, hard, Waiting.NOBODY, Round.none(true, hard), Serving.NOTHING);
  }

  public int generation() {
    return hard.generation();
  }

  /** Whether nothing would be lost if this group were forgotten, apart from its offsets. */
  public boolean isVacant() {
    return phase == GroupPhase.EMPTY && waiting.pending().isEmpty() && hard.generation() == 0;
  }

  /** Whether {@code member} is in this generation; in a server-assigned group each has its own. */
  boolean isIn(int generation, Member member) {
    int current =
        hard.shares() == null ? hard.generation() : shares().share(member.id()).generation();
    return generation >= 0 && generation == current;
  }

  /** Of a server-assigned group; of any other none. */
  public Shares shares() {
    return hard.shares() == null ? Shares.NONE : hard.shares();
  }

  /** How many requests of its members wait for an answer. */
  public int parked() {
    return waiting.joins().size()
        + waiting.syncs().size()
        + waiting.replacements().size()
        + serving.parked().size();
  }

  /**
   * Whether this is who it says it is: UNKNOWN_MEMBER_ID if there is no such member,
   * FENCED_INSTANCE_ID if its instance id has gone to another, else NONE.
   */
  GroupError check(String memberId, String instanceId) {
    Member member = member(memberId);
    if (instanceId.isEmpty()) {
      return member == null ? GroupError.UNKNOWN_MEMBER_ID : GroupError.NONE;
    }
    if (member != null && member.instanceId().equals(instanceId)) {
      return GroupError.NONE;
    }
    return instance(instanceId) == null
        ? GroupError.UNKNOWN_MEMBER_ID
        : GroupError.FENCED_INSTANCE_ID;
  }

  /** The member with this instance id. */
  @Nullable Member instance(String instanceId) {
    return hard.members().values().stream()
        .filter(member -> member.isStatic() && member.instanceId().equals(instanceId))
        .findFirst()
        .orElse(null);
  }

  /** Whether its members speak the embedded protocol of consumers, or did when it had any. */
  public boolean isOfConsumers() {
    return hard.protocolType().equals(CONSUMERS);
  }

  /**
   * Whether a member consumes {@code topic}. One that names no topics may have a subscription that
   * cannot be read: then the answer is yes to every topic.
   */
  public boolean wants(String topic) {
    return isOfConsumers()
        && hard.members().values().stream()
            .anyMatch(member -> member.topics().isEmpty() || member.topics().contains(topic));
  }

  @Nullable Member member(String memberId) {
    return memberId.isEmpty() ? null : hard.members().get(new MemberId(memberId));
  }
}
