package io.rebalancer.coordinator;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Which of the known keys one that is not known is probably a misspelling of. */
final class NearestKey {

  /** Letters to insert, leave out or replace; keys of Kafka's brokers differ by more from ours. */
  private static final int MOST_EDITS = 2;

  private NearestKey() {}

  /** Empty when none is near. Capitals do not count. */
  static Optional<String> to(String key, Collection<String> known) {
    return known.stream()
        .filter(each -> edits(key, each) <= MOST_EDITS)
        .min(
            Comparator.<String>comparingInt(each -> edits(key, each))
                .thenComparing(Comparator.naturalOrder()));
  }

  /**
   * Which of the known ends, that have words between dots, the end of {@code key} is nearest to.
   */
  static String toEnd(String key, Collection<String> knownEnds) {
    return Collections.min(
        knownEnds, Comparator.comparingInt((String each) -> edits(end(key, each), each)));
  }

  /** As many of the key's last words as {@code like} has. */
  private static String end(String key, String like) {
    String[] words = key.split("\\.", -1);
    int skipped = Math.max(0, words.length - like.split("\\.", -1).length);
    return String.join(".", Arrays.asList(words).subList(skipped, words.length));
  }

  /** The Levenshtein distance, one row of its table at a time. */
  private static int edits(String one, String other) {
    String from = one.toLowerCase(Locale.ROOT);
    String to = other.toLowerCase(Locale.ROOT);
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
