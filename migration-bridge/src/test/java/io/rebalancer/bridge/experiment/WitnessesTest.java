package io.rebalancer.bridge.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.ServerCounters;
import io.rebalancer.core.observe.Observation.Reconnected;
import io.rebalancer.core.observe.Observation.WatchDelivered;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WitnessesTest {

  private static final String IDS = "/consumers/g/ids";
  private static final long BYTES = 28 + "/run".length() + IDS.length();

  private static WatchDelivered event(String type) {
    return new WatchDelivered(1, "m", type, IDS);
  }

  private static ServerCounters counted(long deleted, long children, long watchBytes) {
    return new ServerCounters(0, deleted, 0, children, watchBytes, 0, 0, 0, 0, 0, 0);
  }

  private static Witnesses witnesses(
      List<WatchDelivered> delivered, ServerCounters server, OptionalLong model) {
    return new Witnesses(delivered, List.of(), Set.of(IDS), 4, Optional.of(server), model);
  }

  private static List<WatchDelivered> two(String type) {
    return List.of(event(type), event(type));
  }

  @Test
  void threeEqualCountsAgree() {
    assertThat(
            witnesses(two("NodeChildrenChanged"), counted(0, 2, 2 * BYTES), OptionalLong.of(2))
                .disagreements())
        .isEmpty();
  }

  @Test
  void aNotificationThatTheClientsDidNotCountIsNamedWithTheDifference() {
    var found =
        witnesses(two("NodeChildrenChanged"), counted(0, 3, 3 * BYTES), OptionalLong.of(3))
            .disagreements();

    assertThat(found).hasSize(3);
    assertThat(found.get(0))
        .isEqualTo(
            "the clients received 2 notifications, the server fired 3 (created 0, deleted 0, data"
                + " 0, children 3), of which 0 by rule are not sent: 1 unexplained");
    assertThat(found.get(1)).contains(BYTES + " unexplained");
    assertThat(found.get(2)).contains("the model expects 3");
  }

  @Test
  void aDeletedNodeWithBothWatchesIsFiredTwiceAndSentOnce() {
    assertThat(
            witnesses(two("NodeDeleted"), counted(4, 0, 2 * BYTES), OptionalLong.empty())
                .disagreements())
        .isEmpty();
    assertThat(
            witnesses(two("NodeDeleted"), counted(3, 0, 2 * BYTES), OptionalLong.empty())
                .disagreements())
        .hasSize(1);
  }

  @Test
  void whatIsMissedAndSentOnAReconnectIsNotCountedButItsBytesAre() {
    Optional<ServerCounters> oneUncounted = Optional.of(counted(0, 1, 2 * BYTES));
    List<WatchDelivered> delivered = two("NodeChildrenChanged");

    assertThat(
            new Witnesses(
                    delivered,
                    List.of(new Reconnected(1, "m")),
                    Set.of(),
                    4,
                    oneUncounted,
                    OptionalLong.empty())
                .disagreements())
        .isEmpty();
    assertThat(
            new Witnesses(delivered, List.of(), Set.of(), 4, oneUncounted, OptionalLong.empty())
                .disagreements())
        .hasSize(1);
  }

  @Test
  void withoutTheServersCountersOnlyTheModelIsHeldAgainstTheClients() {
    var noServer =
        new Witnesses(
            two("NodeChildrenChanged"),
            List.of(),
            Set.of(),
            4,
            Optional.empty(),
            OptionalLong.of(2));

    assertThat(noServer.disagreements()).isEmpty();
  }
}
