package io.rebalancer.bridge.cli;

import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code NAME:N[,NAME:N...]}: topics and how many partitions each has. */
final class TopicSizes implements ITypeConverter<TopicSizes.Sizes> {

  /** By topic. */
  record Sizes(SortedMap<String, Integer> partitions) {}

  @Override
  public Sizes convert(String value) {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    for (String each : value.split(",", -1)) {
      int colon = each.lastIndexOf(':');
      String name = each.substring(0, Math.max(0, colon));
      String count = each.substring(colon + 1);
      int partitions = count.matches("\\d{1,5}") ? Integer.parseInt(count) : 0;
      if (!TopicsCommand.isLegal(name) || partitions < 1 || partitions > Checks.MOST_PARTITIONS) {
        throw new TypeConversionException(
            "\"" + each + "\" (expected: NAME:N, with N from 1 to " + Checks.MOST_PARTITIONS + ")");
      }
      if (sizes.put(name, partitions) != null) {
        throw new TypeConversionException("\"" + each + "\" (expected: each topic once)");
      }
    }
    return new Sizes(sizes);
  }
}
