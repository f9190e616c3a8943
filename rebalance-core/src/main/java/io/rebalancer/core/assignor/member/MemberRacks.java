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

  /** Those of the named racks that members are in, ascending. */
  int[] among(Set<String> racks) {
    return racks.stream()
        .filter(rack -> !rack.isEmpty())
        .mapToInt(rack -> Arrays.binarySearch(names, rack))
        .filter(rack -> rack >= 0)
        .sorted()
        .toArray();
  }

  /** Whether a member is in the rack of one of a partition's replicas. */
  boolean near(int place, int member) {
    String name = names[ofMember[member]];
    return !name.isEmpty() && racks(place).contains(name);
  }

  /** The racks of a partition's replicas. */
  Set<String> racks(int place) {
    PartitionIndex index = group.partitions;
    int t = index.topicAt(place);
    return group.racks(index.names[t], index.partition(t, place));
  }
}
