package io.rebalancer.bridge.group;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A group's offsets as text, a line {@code /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET} each
 * (kafka 0.8-1.1, {@code kafka.tools.ExportZkOffsets} and {@code ImportZkOffsets}).
 *
 * @param offsets what the lines say; only worth anything if there are no problems
 * @param problems what is wrong with them, a sentence each that names the line
 */
public record OffsetLines(SortedMap<TopicPartition, Long> offsets, List<String> problems) {

  private static final int SHOWN_CHARACTERS = 80;
  private static final Pattern LINE =
      Pattern.compile("/consumers/([^/]+)/offsets/([^/]+)/(0|[1-9]\\d{0,9}):(-?\\d{1,19})");

  /** The line of one offset, without its end. */
  public static String format(GroupId group, TopicPartition partition, long offset) {
    return ZnodePaths.offset(group, partition) + ":" + offset;
  }

  /**
   * Reads lines of this group. Empty ones are passed over: {@code ImportZkOffsets} stops at the
   * first, and drops what comes after it.
   */
  public static OffsetLines parse(GroupId group, List<String> lines) {
    OffsetLines read = new OffsetLines(new TreeMap<>(), new ArrayList<>());
    Map<TopicPartition, Integer> seen = new HashMap<>();
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1);
      if (!line.isBlank()) {
        String problem = read.take(group, line, number, seen);
        if (!problem.isEmpty()) {
          read.problems.add("line %d: %s".formatted(number, problem));
        }
      }
    }
    return read;
  }

  private String take(
      GroupId group, String line, int number, Map<TopicPartition, Integer> seenOnLine) {
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      return shown(line) + " (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)";
    }
    if (!matcher.group(1).equals(group.value())) {
      return shown(line) + " (expected: an offset of group " + group + ")";
    }
    if (matcher.group(2).equals(".") || matcher.group(2).equals("..")) {
      return shown(line) + " (expected: a topic's name)";
    }
    TopicPartition partition;
    long offset;
    try {
      partition = new TopicPartition(matcher.group(2), Integer.parseInt(matcher.group(3)));
      offset = Long.parseLong(matcher.group(4));
    } catch (NumberFormatException e) {
      return shown(line) + " (expected: a partition of 31 bits and an offset of 63)";
    }
    if (offset < -1) {
      return shown(line) + " (expected: an offset of at least -1)";
    }
    Integer before = seenOnLine.putIfAbsent(partition, number);
    if (before != null) {
      return shown(line) + " (expected: each partition once; it is on line " + before + " too)";
    }
    offsets.put(partition, offset);
    return "";
  }

  private static String shown(String line) {
    return '"'
        + (line.length() <= SHOWN_CHARACTERS ? line : line.substring(0, SHOWN_CHARACTERS) + "...")
        + '"';
  }
}
