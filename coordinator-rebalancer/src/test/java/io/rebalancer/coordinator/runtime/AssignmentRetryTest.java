package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.runtime.ServedStage.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.runtime.ServedStage.Peer;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.testkit.LogCapture;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An assignor that fails is tried again, ever more rarely, until it does not. */
class AssignmentRetryTest {

  private static ServedStage three() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(1, 6));
    return stage.restored(Map.of("c1", t(1, 2), "c2", t(4, 5), "c3", t(3, 6)));
  }

  @Test
  void itWaitsTwiceAsLongEachTimeUpToHalfAMinute() {
    assertThat(
            IntStream.of(1, 2, 3, 4, 5, 6, 7, 64, Integer.MAX_VALUE)
                .mapToObj(failures -> AssignmentRetry.after(failures).toSeconds()))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L, 30L);
  }

  @Test
  void whatAVanishedMemberHadIsSharedOnceTheAssignorWorksAgain() {
    ServedStage stage = three();
    stage.failAssignor(true);
    try (LogCapture log = LogCapture.of(GroupJournal.class)) {

      stage.peers.get("c2").die();
      stage.run(ServedStage.SESSION_MS + 20_000);
      assertThat(stage.owners()).isEqualTo(Map.of("c1", t(1, 2), "c2", t(), "c3", t(3, 6)));
      assertThat(stage.notAssigned).as("at once, after 1, 3, 7 and 15 s").isEqualTo(5);

      stage.failAssignor(false);
      stage.run(10_000);
      assertThat(stage.owners().get("c1")).as("after 31 s").isEqualTo(t(1, 2));
      stage.run(5_000);

      assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 0, 3);
      assertThat(stage.notAssigned).isEqualTo(5);
      assertThat(stage.phases()).last().isEqualTo("Stable RECONCILED");
      assertThat(log.messages().stream().filter(line -> line.contains("assignor")))
          .satisfiesExactly(
              line ->
                  assertThat(line)
                      .startsWith("ERROR group g generation 9: assignor uniform failed;")
                      .contains("tried again in 1000 ms"),
              line ->
                  assertThat(line)
                      .startsWith("WARN group g generation 14: assignor uniform works again")
                      .endsWith("after 5 failures"));
    }
  }

  @Test
  void aChangeIsTriedAtOnceAndTheNextFailureIsAFirstOneAgain() {
    ServedStage stage = three();
    stage.failAssignor(true);
    stage.topic("t", 8);
    stage.run(10_000);
    assertThat(stage.notAssigned).isEqualTo(4);

    stage.failAssignor(false);
    stage.topic("t", 9);
    stage.run(4_000);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsOnly(3);

    stage.run(60_000);
    assertThat(stage.phases().stream().filter(moved -> moved.startsWith("Assigning")))
        .as("no try is left over")
        .last()
        .isEqualTo("Assigning TOPIC_CHANGE");
    stage.failAssignor(true);
    stage.topic("t", 10);
    stage.run(1_000);
    assertThat(stage.notAssigned).as("at once, and after 1 s").isEqualTo(4 + 2);
  }

  @Test
  void nobodyIsAssignedAnythingInAGroupThatHasBecomeEmpty() {
    ServedStage stage = three();
    stage.failAssignor(true);
    List.copyOf(stage.peers.values()).forEach(Peer::leave);
    int failed = stage.notAssigned;
    stage.run(60_000);
    assertThat(stage.notAssigned).isEqualTo(failed);

    stage.failAssignor(false);
    Peer next = stage.peer("c9", true).join();
    stage.run(4_000);
    assertThat(next.last).isEqualTo(GroupError.NONE);
    assertThat(next.owned.size()).isEqualTo(6);
  }
}
