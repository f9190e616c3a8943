package io.rebalancer.bridge.cli;

import io.rebalancer.core.model.TopicPartition;
import java.util.SortedSet;
import java.util.TreeSet;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code TOPIC[:P,P...]}, as kafka-consumer-groups does. */
final class TopicOption implements ITypeConverter<TopicOption.Topic> {

  /**
   * A topic, or some partitions of it.
   *
   * @param partitions empty for all
   */
  record Topic(String name, SortedSet<Integer> partitions) {

    /**
     * Those of {@code there} that are meant.
     *
     * @param otherwise what to say of one that is meant and not there
     * @throws RefusedException if one is not there
     */
    SortedSet<TopicPartition> among(SortedSet<TopicPartition> there, String otherwise) {
      if (partitions.isEmpty()) {
        if (there.isEmpty()) {
          throw new RefusedException("--topic: " + name + " " + otherwise);
        }
        return there;
      }
      SortedSet<TopicPartition> meant = new TreeSet<>();
      for (int number : partitions) {
        TopicPartition partition = new TopicPartition(name, number);
        if (!there.contains(partition)) {
          throw new RefusedException("--topic: " + partition + " " + otherwise);
        }
        meant.add(partition);
      }
      return meant;
    }
  }

  @Override
  public Topic convert(String value) {
    if (!value.matches("[^:/]+(:\\d{1,9}(,\\d{1,9})*)?")) {
      throw new TypeConversionException("\"" + value + "\" (expected: TOPIC or TOPIC:P,P...)");
    }
    int colon = value.indexOf(':');
    SortedSet<Integer> partitions = new TreeSet<>();
    if (colon >= 0) {
      for (String number : value.substring(colon + 1).split(",")) {
        partitions.add(Integer.valueOf(number));
      }
    }
    return new Topic(colon < 0 ? value : value.substring(0, colon), partitions);
  }
}
