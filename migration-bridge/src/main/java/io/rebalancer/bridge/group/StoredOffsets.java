package io.rebalancer.bridge.group;

import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a group has committed, as its offset nodes show it.
 *
 * @param nodes by partition, also those whose payload is no offset
 * @param unreadable what is wrong with payloads and names, a sentence each that names the path
 */
public record StoredOffsets(SortedMap<TopicPartition, Node> nodes, List<String> unreadable) {

  /**
   * An offset node.
   *
   * @param payload as text
   * @param offset null if the payload is none
   * @param version the znode's, when it was read
   */
  public record Node(String payload, @Nullable Long offset, int version) {

    private static final int SHOWN_CHARACTERS = 30;

    /** The offset, or the beginning of what is there instead; fit for a line of a table. */
    public String shown() {
      if (offset != null) {
        return payload;
      }
      String cut =
          payload.length() <= SHOWN_CHARACTERS
              ? payload
              : payload.substring(0, SHOWN_CHARACTERS) + "...";
      return '"' + cut.replaceAll("\\p{Cntrl}", "?") + '"';
    }
  }

  /** Those that can be read. */
  public SortedMap<TopicPartition, Long> readable() {
    SortedMap<TopicPartition, Long> offsets = new TreeMap<>();
    nodes.forEach(
        (partition, node) -> {
          if (node.offset() != null) {
            offsets.put(partition, node.offset());
          }
        });
    return offsets;
  }
}
