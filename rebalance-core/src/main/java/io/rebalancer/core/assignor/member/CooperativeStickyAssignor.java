package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * As {@link StickyAssignor}, in two rounds: a partition that changes hands is given to nobody in
 * the round in which its owner loses it, and in the next, when that owner has let go, to the new
 * one (KIP-429).
 *
 * <p>Whoever says that it owns a partition may be processing it, whether or not it is believed:
 * only a claim of an older generation than the new owner's own does not hold it up.
 */
public final class CooperativeStickyAssignor implements MemberAssignor {

  private final StickyAssignor sticky = new StickyAssignor();

  @Override
  public String name() {
    return "cooperative-sticky";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    int[] next = sticky.assign(group).owners;
    int[] owners = next.clone();
    if (group.previous == null) {
      withholdClaimed(group, next, owners);
    } else {
      int[] before = Claims.ofPrevious(group, group.previous);
      for (int place = 0; place < owners.length; place++) {
        if (before[place] != NOBODY && before[place] != next[place]) {
          owners[place] = NOBODY;
        }
      }
    }
    return new GroupAssignment(group, owners);
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
