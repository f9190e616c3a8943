package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConsumerEventsTest {

  private static final Assignment PARTITIONS = Assignment.of("t", PartitionSet.of(0));

  private final StringWriter out = new StringWriter();
  private final AtomicInteger ends = new AtomicInteger();
  private final ConsumerEvents events = events(out, false);

  private ConsumerEvents events(Writer to, boolean joins) {
    return new ConsumerEvents(
        new PrintWriter(to, true),
        Clock.systemUTC(),
        new GroupId("g"),
        "c1",
        joins,
        ends::incrementAndGet);
  }

  private List<String> told() throws Exception {
    List<String> told = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      told.add(event.get("event").asText() + " " + event.get("reason").asText());
    }
    return told;
  }

  @Test
  void anExpiryIsTheReasonOfWhatIsLostAndItsMemberRegistersAgain() throws Exception {
    events.on(new Observation.AttemptStarted(1, "c1", 1, "members"));
    events.onLost(PARTITIONS);
    events.on(new Observation.AttemptStarted(2, "c1", 2, "session"));

    assertThat(told())
        .containsExactly(
            "registered join",
            "rebalance-started members",
            "lost session",
            "registered session",
            "rebalance-started session");
  }

  @Test
  void aConsumerThatJoinsIsRegisteredWhenItsJoinIsAnsweredAndWithEachNewId() throws Exception {
    ConsumerEvents joining = events(out, true);
    joining.registered();
    joining.on(new Observation.AttemptStarted(1, "c1", 1, "join"));
    joining.on(new Observation.MemberJoined(2, "c1", "c1-1"));
    joining.onLost(PARTITIONS);
    joining.on(new Observation.AttemptStarted(3, "c1", 2, "lost"));
    joining.on(new Observation.MemberJoined(4, "c1", "c1-2"));

    assertThat(told())
        .containsExactly(
            "rebalance-started join",
            "registered join",
            "lost session",
            "rebalance-started lost",
            "registered lost");
  }

  @Test
  void whatItGivesUpWhenItIsToldToEndIsBecauseOfThat() throws Exception {
    events.on(new Observation.AttemptStarted(1, "c1", 1, "members"));
    events.closing();
    events.onRevoked(PARTITIONS);
    events.print("closed");

    assertThat(told()).endsWith("revoked close", "closed close");
  }

  @Test
  void aRefusalIsTheEndAndSaysWhy() throws Exception {
    events.on(new Observation.AttemptStarted(1, "c1", 1, "join"));
    assertThat(ends).hasValue(0);

    events.on(new Observation.MemberRefused(2, "c1", "INCONSISTENT_GROUP_PROTOCOL (23): no"));

    assertThat(ends).hasValue(1);
    assertThat(events.isRefused()).isTrue();
    assertThat(told()).endsWith("refused join");
    assertThat(out.toString()).contains("\"error\":\"INCONSISTENT_GROUP_PROTOCOL (23): no\"");
  }

  @Test
  void nobodyWhoReadsIsTheEndToo() {
    ConsumerEvents unread =
        events(
            new Writer() {
              @Override
              public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("Broken pipe");
              }

              @Override
              public void flush() {}

              @Override
              public void close() {}
            },
            false);

    unread.registered();

    assertThat(ends).hasValue(1);
    assertThat(unread.isRefused()).isFalse();
  }
}
