package io.rebalancer.it.peers;

import static java.util.stream.Collectors.toCollection;

import io.rebalancer.core.model.TopicPartition;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an original consumer believes it owns, as it logs after each success. */
record Selection(String consumer, SortedSet<TopicPartition> partitions) {

  private static final Pattern LINE =
      Pattern.compile(".*Consumer (\\S+) selected partitions : ?(.*)");
  private static final Pattern PARTITION =
      Pattern.compile("([^,]+):(\\d+): fetched offset = -?\\d+: consumed offset = -?\\d+");

  /** Empty if the line says something else. */
  static Optional<Selection> parse(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        ? Optional.of(
            new Selection(
                matcher.group(1),
                PARTITION
                    .matcher(matcher.group(2))
                    .results()
                    .map(Selection::partition)
                    .collect(toCollection(TreeSet::new))))
        : Optional.empty();
  }

  private static TopicPartition partition(MatchResult result) {
    return new TopicPartition(result.group(1), Integer.parseInt(result.group(2)));
  }
}
