package io.rebalancer.core.assignor;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The threads of a group in the original's order: that of their whole text. */
final class GroupThreads {

  private GroupThreads() {}

  /** Those that consume {@code topic}. */
  static List<ThreadId> of(String topic, Map<MemberId, Subscription> members) {
    return members.entrySet().stream()
        .flatMap(e -> e.getValue().threads(e.getKey(), topic))
        .sorted()
        .toList();
  }

  /** Every thread of every member, each with the empty assignment. */
  static SortedMap<ThreadId, Assignment> withNothing(Map<MemberId, Subscription> members) {
    SortedMap<ThreadId, Assignment> shares = new TreeMap<>();
    members.forEach(
        (member, subscription) ->
            subscription
                .streams()
                .keySet()
                .forEach(
                    topic ->
                        subscription
                            .threads(member, topic)
                            .forEach(thread -> shares.put(thread, Assignment.empty()))));
    return shares;
  }
}
