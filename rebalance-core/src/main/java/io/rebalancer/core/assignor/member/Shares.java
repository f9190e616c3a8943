package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.BitSet;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects what each member gets, partition by partition in any order. */
final class Shares {

  private final SortedMap<MemberId, Map<String, BitSet>> given = new TreeMap<>();

  Shares(GroupInput group) {
    group.members().keySet().forEach(id -> given.put(id, new TreeMap<>()));
  }

  void give(MemberId member, String topic, int partition) {
    given
        .computeIfAbsent(member, id -> new TreeMap<>())
        .computeIfAbsent(topic, name -> new BitSet())
        .set(partition);
  }

  SortedMap<MemberId, Assignment> build() {
    SortedMap<MemberId, Assignment> result = new TreeMap<>();
    given.forEach(
        (member, topics) -> {
          SortedMap<String, PartitionSet> sets = new TreeMap<>();
          topics.forEach(
              (topic, bits) -> sets.put(topic, PartitionSet.of(bits.stream().toArray())));
          result.put(member, new Assignment(sets));
        });
    return Collections.unmodifiableSortedMap(result);
  }
}
