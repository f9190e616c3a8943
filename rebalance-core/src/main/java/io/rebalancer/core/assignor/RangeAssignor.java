package io.rebalancer.core.assignor;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The original's default (kafka 0.8-1.1, {@code kafka.consumer.RangeAssignor}; the same in all
 * releases). Per topic, partitions in numeric order over the topic's threads in text order: with p
 * partitions over n threads each gets p/n, and the first p mod n get one more. Over many topics the
 * first threads collect those extras: the original's known imbalance.
 */
public final class RangeAssignor implements PartitionAssignor {

  @Override
  public String name() {
    return "range";
  }

  @Override
  public SortedMap<ThreadId, Assignment> assignThreads(
      Map<String, PartitionSet> topics, Map<MemberId, Subscription> members) {
    SortedMap<ThreadId, Assignment> shares = GroupThreads.withNothing(members);
    SortedMap<ThreadId, SortedMap<String, PartitionSet>> found = new TreeMap<>();
    new TreeMap<>(topics)
        .forEach(
            (topic, partitions) -> {
              List<ThreadId> threads = GroupThreads.of(topic, members);
              int first = 0;
              for (int i = 0; i < threads.size(); i++) {
                int count = share(partitions.size(), threads.size(), i);
                found
                    .computeIfAbsent(threads.get(i), thread -> new TreeMap<>())
                    .put(topic, partitions.slice(first, count));
                first += count;
              }
            });
    found.forEach((thread, share) -> shares.put(thread, new Assignment(share)));
    return shares;
  }

  private static int share(int partitions, int threads, int index) {
    return partitions / threads + (index < partitions % threads ? 1 : 0);
  }
}
