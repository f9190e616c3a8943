package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Two sets of transcripts.
 *
 * @param unexplained differences that no accepted deviation covers, both answers in each
 * @param explained the others
 * @param vanished scripts that an accepted deviation covers, and that were answered alike
 * @param seen deviations that were met
 */
record Comparison(
    List<String> unexplained, List<String> explained, List<String> vanished, Set<Deviations> seen) {

  static Comparison of(Map<String, List<String>> theirs, Map<String, List<String>> ours) {
    Comparison found =
        new Comparison(
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            EnumSet.noneOf(Deviations.class));
    new TreeMap<>(theirs).forEach((name, lines) -> found.add(name, lines, ours.get(name)));
    return found;
  }

  private void add(String name, List<String> theirs, List<String> ours) {
    Optional<Deviations> deviation = Deviations.of(name);
    deviation.ifPresent(seen::add);
    boolean same = theirs.equals(ours);
    if (same && deviation.isPresent()) {
      vanished.add(name + " (" + deviation.get() + ")");
    } else if (!same) {
      String both =
          name
              + "\n  kafka: "
              + String.join("\n         ", theirs)
              + "\n  ours:  "
              + String.join("\n         ", ours);
      deviation.ifPresentOrElse(
          each -> explained.add(both + "\n  (" + each.reason() + ")"), () -> unexplained.add(both));
    }
  }
}
