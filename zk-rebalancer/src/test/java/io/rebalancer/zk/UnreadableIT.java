package io.rebalancer.zk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.ZnodeUnreadable;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A payload that stops a consumer is named, in the log and to the observer. */
class UnreadableIT {

  private Stage stage;
  private LogCapture log;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 2);
    log = LogCapture.of("io.rebalancer.zk.registry.Unreadable");
  }

  @AfterEach
  void close() throws Exception {
    log.close();
    stage.close();
  }

  private void write(String path, String content) throws Exception {
    stage
        .admin
        .create()
        .orSetData()
        .creatingParentsIfNeeded()
        .forPath(path, content.getBytes(UTF_8));
  }

  private void awaitGiveUp() {
    await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(Observation.GaveUp.class) == 1);
  }

  @Test
  void aRegistrationIsReportedByEveryAttemptAndWarnedOfOncePerWrite() throws Exception {
    GroupMember member = stage.joinWithFourTries("c1");
    stage.awaitBalance(member);
    String poison = ZnodePaths.ids(Stage.GROUP) + "/g1_poison";

    write(poison, "{\n}");
    awaitGiveUp();

    assertThat(stage.recorder.of(ZnodeUnreadable.class))
        .hasSize(4)
        .extracting(ZnodeUnreadable::member, ZnodeUnreadable::path, ZnodeUnreadable::content)
        .containsOnly(tuple("c1", poison, "{\\u000a}"));
    assertThat(log.messages())
        .containsExactly(
            "WARN g1_c1: cannot read "
                + poison
                + ": \"{\\u000a}\" (expected: a registration like {\"version\":1,"
                + "\"subscription\":{\"t\":1},\"pattern\":\"static\",\"timestamp\":\"0\"})"
                + ": whatever needs it fails until it is mended or gone");

    stage.recorder.clear();
    write(poison, "{}");
    stage.touch("t");
    awaitGiveUp();
    assertThat(log.messages()).hasSize(2);
  }

  @Test
  void brokersTopicsAndOffsetsAreNamedAsWell() throws Exception {
    Map<String, String> bad =
        Map.of(
            ZnodePaths.BROKER_IDS + "/1",
            "[]",
            ZnodePaths.topic("t"),
            "{\"partitions\":{\"zero\":[1]}}",
            ZnodePaths.offset(Stage.GROUP, Stage.t(1)),
            "many");
    for (Map.Entry<String, String> payload : bad.entrySet()) {
      try (Stage own = new Stage(Profile.V1_1).brokers(1).topic("t", 2)) {
        own.admin
            .create()
            .orSetData()
            .creatingParentsIfNeeded()
            .forPath(payload.getKey(), payload.getValue().getBytes(UTF_8));

        GroupMember member = own.joinWithFourTries("c1");
        await().atMost(Stage.SETTLE).until(() -> own.recorder.count(Observation.GaveUp.class) == 1);

        assertThat(own.recorder.of(ZnodeUnreadable.class))
            .hasSize(4)
            .extracting(ZnodeUnreadable::path, ZnodeUnreadable::content)
            .containsOnly(tuple(payload.getKey(), payload.getValue()));
        assertThat(log.messages().get(log.messages().size() - 1))
            .contains(payload.getKey() + ": \"" + payload.getValue() + "\"");
        assertThat(member.assignment()).isEqualTo(Assignment.empty());
      }
    }
    assertThat(log.messages()).hasSize(bad.size());
  }

  /** No error to the original, which goes on as if the topic had no partitions. */
  @Test
  void aTopicWithoutPartitionsIsNamedThoughNothingFails() throws Exception {
    for (String content : List.of("no json", "{\"version\":1,\"partitions\":{}}")) {
      write(ZnodePaths.topic("t"), content);
      GroupMember member = stage.joinWithFourTries("c1");
      stage.awaitQuiet();

      assertThat(stage.recorder.of(Observation.AttemptEnded.class))
          .singleElement()
          .matches(end -> !end.failed() && end.after().isEmpty());
      assertThat(stage.recorder.of(ZnodeUnreadable.class))
          .singleElement()
          .matches(found -> found.content().equals(content));
      assertThat(log.messages().get(log.messages().size() - 1)).endsWith(": nobody owns any of it");
      member.close();
      stage.recorder.clear();
    }
  }

  @Test
  void anOffsetThatWasWrittenIsReportedAndOneThatDidNotChangeIsNot() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);

    member.commit(Map.of(Stage.t(0), 5L)).join();
    member.commit(Map.of(Stage.t(0), 5L)).join();
    member.commit(Map.of(Stage.t(0), 6L, Stage.t(1), 0L)).join();

    assertThat(stage.recorder.of(Observation.OffsetCommitted.class))
        .extracting(
            Observation.OffsetCommitted::member,
            Observation.OffsetCommitted::partition,
            Observation.OffsetCommitted::offset)
        .containsExactlyInAnyOrder(
            tuple("c1", Stage.t(0), 5L), tuple("c1", Stage.t(0), 6L), tuple("c1", Stage.t(1), 0L));
  }
}
