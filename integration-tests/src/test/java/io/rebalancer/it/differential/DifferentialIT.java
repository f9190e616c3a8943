package io.rebalancer.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same requests to a broker of Kafka 4.4.0 and to ours. */
@Tag("real")
class DifferentialIT {

  private static Comparison comparison;

  @BeforeAll
  static void ask() throws Exception {
    Map<String, List<String>> theirs = new HashMap<>();
    Map<String, List<String>> ours = new HashMap<>();
    ask(Scripts.all(), KafkaBroker.INITIAL_DELAY, theirs, ours);
    ask(GatheringScripts.all(), GatheringScripts.DELAY, theirs, ours);
    comparison = Comparison.of(theirs, ours);
    if (Boolean.getBoolean("rebalancer.record")) {
      Recording.write(theirs);
    }
    List<String> report = new ArrayList<>(comparison.unexplained());
    report.addAll(comparison.explained());
    Files.writeString(
        Path.of("target", "differential.txt"),
        theirs.size()
            + " scripts, "
            + comparison.explained().size()
            + " accepted differences, "
            + comparison.unexplained().size()
            + " others\n\n"
            + String.join("\n\n", report)
            + "\n",
        UTF_8);
  }

  private static void ask(
      List<Script> scripts,
      Duration initialDelay,
      Map<String, List<String>> theirs,
      Map<String, List<String>> ours)
      throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(initialDelay);
        Ours own = new Ours(initialDelay)) {
      CompletableFuture<Map<String, List<String>>> kafka =
          CompletableFuture.supplyAsync(() -> Scripts.run(broker.target(), scripts));
      ours.putAll(Scripts.run(own.target(), scripts));
      theirs.putAll(kafka.get());
    }
  }

  @Test
  void everyScriptIsAnsweredAsByKafkaButForTheDeviationsThatAreListed() {
    assertThat(comparison.unexplained()).isEmpty();
  }

  @Test
  void everyDeviationThatIsListedIsOne() {
    assertThat(comparison.vanished()).isEmpty();
    assertThat(comparison.seen()).isEqualTo(EnumSet.allOf(Deviations.class));
  }
}
