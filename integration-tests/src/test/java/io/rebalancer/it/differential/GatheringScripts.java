package io.rebalancer.it.differential;

import java.time.Duration;
import java.util.List;

/**
 * How the members of a new or emptied group are waited for: for coordinators whose {@code
 * group.initial.rebalance.delay.ms} is {@link #DELAY}. What happens lies at least 0.7 s from what
 * it must not fall together with.
 */
final class GatheringScripts {

  static final Duration DELAY = Duration.ofSeconds(2);

  private static final List<Script> ALL =
      List.of(
          new Script(
              "gathering: who comes within the delay extends it, again and again",
              dialog -> {
                dialog.begin();
                dialog.enter("a");
                dialog.awaitElapsed(Duration.ofMillis(1_000));
                dialog.enter("b");
                dialog.awaitElapsed(Duration.ofMillis(3_000));
                dialog.noteState();
                dialog.enter("c");
                dialog.awaitElapsed(Duration.ofMillis(5_000));
                dialog.noteState();
                dialog.answer("a");
                dialog.answer("b");
                dialog.answer("c");
                dialog.finish();
              }),
          new Script(
              "gathering: a delay in which nobody came is the last",
              dialog -> {
                dialog.begin();
                dialog.enter("a");
                dialog.awaitElapsed(Duration.ofMillis(1_000));
                dialog.enter("b");
                dialog.awaitElapsed(Duration.ofMillis(3_000));
                dialog.noteState();
                dialog.awaitElapsed(Duration.ofMillis(5_000));
                dialog.enter("c");
                dialog.answer("a");
                dialog.answer("b");
                dialog.beats();
                dialog.finish();
              }),
          new Script(
              "gathering: one alone is waited for no longer than the delay",
              dialog -> {
                dialog.begin();
                dialog.enter("a");
                dialog.awaitElapsed(Duration.ofMillis(1_000));
                dialog.noteState();
                dialog.awaitElapsed(Duration.ofMillis(3_000));
                dialog.enter("b");
                dialog.answer("a");
                dialog.beats();
                dialog.finish();
              }),
          new Script(
              "gathering: no longer than the first member's rebalance timeout",
              dialog -> {
                dialog.begin();
                dialog.enter("a", join -> join.setRebalanceTimeoutMs(3_500));
                dialog.awaitElapsed(Duration.ofMillis(1_000));
                dialog.enter("b");
                dialog.awaitElapsed(Duration.ofMillis(2_750));
                dialog.noteState();
                dialog.enter("c");
                dialog.awaitElapsed(Duration.ofMillis(4_500));
                dialog.enter("d");
                dialog.answer("a");
                dialog.answer("b");
                dialog.answer("c");
                dialog.beats();
                dialog.finish();
              }),
          new Script(
              "gathering: an emptied group anew",
              dialog -> {
                dialog.enter("a");
                dialog.answer("a");
                dialog.sync("a", true);
                dialog.answer("a");
                dialog.leave("a");
                dialog.begin();
                dialog.enter("b");
                dialog.awaitElapsed(Duration.ofMillis(1_000));
                dialog.enter("c");
                dialog.awaitElapsed(Duration.ofMillis(3_000));
                dialog.noteState();
                dialog.answer("b");
                dialog.answer("c");
                dialog.finish();
              }));

  private GatheringScripts() {}

  static List<Script> all() {
    return ALL;
  }
}
