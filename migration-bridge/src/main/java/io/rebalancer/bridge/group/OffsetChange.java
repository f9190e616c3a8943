package io.rebalancer.bridge.group;

import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of one committed offset.
 *
 * @param before its node as it was read; null if there was none
 * @param after the offset to write; null to delete the node
 */
public record OffsetChange(
    TopicPartition partition, StoredOffsets.@Nullable Node before, @Nullable Long after) {

  /** One for each of {@code wanted} that is not so yet, by partition. */
  public static List<OffsetChange> between(
      StoredOffsets now, SortedMap<TopicPartition, Long> wanted) {
    List<OffsetChange> changes = new ArrayList<>();
    wanted.forEach(
        (partition, offset) -> {
          StoredOffsets.Node before = now.nodes().get(partition);
          if (before == null || !before.payload().equals(offset.toString())) {
            changes.add(new OffsetChange(partition, before, offset));
          }
        });
    return changes;
  }
}
