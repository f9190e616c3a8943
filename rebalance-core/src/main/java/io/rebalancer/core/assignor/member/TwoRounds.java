package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;
import static java.util.Objects.requireNonNull;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * As another assignor, for cooperative members: a partition that changes hands is given to nobody
 * in the round in which its owner loses it, and in the next, when that owner has let go, to the new
 * one (KIP-429).
 *
 * <p>Whoever says that it owns a partition may be processing it, whether or not it is believed:
 * only a claim of an older generation than the new owner's own does not hold it up.
 */
public record TwoRounds(MemberAssignor assignor) implements MemberAssignor {

  public TwoRounds {
    requireNonNull(assignor, "assignor");
  }

  @Override
  public String name() {
    return assignor.name();
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    return withhold(group, assignor.assign(group));
  }

  /** {@code next} without what members of the group have to let go of first. */
  public static GroupAssignment withhold(GroupInput group, GroupAssignment next) {
    int[] owners = next.owners.clone();
    if (group.previous == null) {
      withholdClaimed(group, next.owners, owners);
    } else {
      int[] before = Claims.ofPrevious(group, group.previous);
      for (int place = 0; place < owners.length; place++) {
        if (before[place] != NOBODY && before[place] != next.owners[place]) {
          owners[place] = NOBODY;
        }
      }
    }
    return new GroupAssignment(group, owners, next.subscriptions);
  }

  private static void withholdClaimed(GroupInput group, int[] next, int[] owners) {
    int[] generations = new int[next.length];
    Arrays.fill(generations, Integer.MIN_VALUE);
    for (int m = 0; m < group.members.length; m++) {
      int self = m;
      forEachClaim(
          group,
          self,
          place -> {
            if (next[place] == self) {
              generations[place] = group.members[self].generation();
            }
          });
    }
    for (int m = 0; m < group.members.length; m++) {
      int self = m;
      forEachClaim(
          group,
          self,
          place -> {
            if (next[place] != self && group.members[self].generation() >= generations[place]) {
              owners[place] = NOBODY;
            }
          });
    }
  }

  private static void forEachClaim(GroupInput group, int m, IntConsumer action) {
    Member member = group.members[m];
    for (Map.Entry<String, PartitionSet> owned : member.owned().topics().entrySet()) {
      int t = group.partitions.topic(owned.getKey());
      if (t >= 0) {
        group.partitions.forEachPlace(t, owned.getValue(), action);
      }
    }
  }
}
