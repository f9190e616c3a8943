package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The topics of one member: those it names, or those that match its pattern, which the member finds
 * out and not the coordinator (kafka-clients 4.4, ConsumerCoordinator.updatePatternSubscription).
 */
final class WantedTopics {

  private final @Nullable WildcardSubscription pattern;
  private Subscription current;

  WantedTopics(TopicSelection selection) {
    if (selection instanceof WildcardSubscription wildcard) {
      pattern = wildcard;
      current = new Subscription(new TreeMap<>());
    } else {
      pattern = null;
      current = (Subscription) selection;
    }
  }

  boolean byPattern() {
    return pattern != null;
  }

  /** What the last Join said or the next one says. */
  Subscription current() {
    return current;
  }

  /** Whether {@link #current} would be another if there were just these topics. */
  boolean wouldChange(Set<String> topics) {
    return !among(topics).equals(current);
  }

  void take(Set<String> topics) {
    current = among(topics);
  }

  private Subscription among(Set<String> topics) {
    return pattern == null ? current : pattern.among(topics, Set.of());
  }

  /** Those of topics that are not wanted any more. */
  Assignment unwanted(Assignment owned) {
    SortedMap<String, PartitionSet> unwanted = new TreeMap<>(owned.topics());
    unwanted.keySet().removeIf(current::includes);
    return new Assignment(unwanted);
  }
}
