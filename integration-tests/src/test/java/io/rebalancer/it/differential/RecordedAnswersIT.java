package io.rebalancer.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Ours against the recorded answers of a broker of Kafka 4.4.0. */
class RecordedAnswersIT {

  @Test
  void everyRecordedScriptIsAnsweredAsByKafka() throws Exception {
    Map<String, List<String>> recorded = Recording.read();
    List<Script> scripts = Recording.scripts();
    assertThat(recorded.keySet())
        .as("recorded anew by DifferentialIT with -Drebalancer.record=true")
        .containsExactlyElementsOf(scripts.stream().map(Script::name).toList());
    Map<String, List<String>> answers = new HashMap<>();
    List<Script> gathering = GatheringScripts.all();
    try (Ours ours = new Ours()) {
      answers.putAll(
          Scripts.run(
              ours.target(), scripts.stream().filter(each -> !gathering.contains(each)).toList()));
    }
    try (Ours ours = new Ours(GatheringScripts.DELAY)) {
      answers.putAll(Scripts.run(ours.target(), gathering));
    }
    assertThat(Comparison.of(recorded, answers).unexplained()).isEmpty();
  }
}
