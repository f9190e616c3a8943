package io.rebalancer.core.assignor.member;

import java.util.Arrays;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The racks of members, by number, where it is known in which racks replicas are; else one. */
final class MemberRacks {

  private final GroupInput group;
  private final String[] names;
  private final int[] ofMember;

  MemberRacks(GroupInput group) {
    this.group = group;
    this.ofMember = new int[group.members.length];
    if (!group.hasRacks()) {
      this.names = new String[] {""};
      return;
    }
    SortedSet<String> found = new TreeSet<>();
    for (GroupInput.Member member : group.members) {
      found.add(member.rack());
    }
    this.names = found.toArray(String[]::new);
    Arrays.setAll(ofMember, m -> Arrays.binarySearch(names, group.members[m].rack()));
  }

  int count() {
    return names.length;
  }

  int of(int member) {
    return ofMember[member];
  }

  String name(int rack) {
    return names[rack];
  }

  /** Whether a member is in the rack of one of a partition's replicas. */
  boolean near(int place, int member) {
    return racks(place).contains(names[ofMember[member]]);
  }

  /** The racks of a partition's replicas. */
  Set<String> racks(int place) {
    PartitionIndex index = group.partitions;
    int t = index.topicAt(place);
    return group.racks(index.names[t], index.sets[t].get(place - index.starts[t]));
  }
}
