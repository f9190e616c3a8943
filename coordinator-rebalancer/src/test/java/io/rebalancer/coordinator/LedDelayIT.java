package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.RebalanceObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** What an administrator sees of a delay that a member of ours leads. */
class LedDelayIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration DELAY = Duration.ofSeconds(4);
  private static final Pattern DELAYED = Pattern.compile("uniform \\(delay (\\d+) ms\\)");

  private static CoordinatorRebalanceEngine engine(Stage stage) {
    return new CoordinatorRebalanceEngine(
        CoordinatorClientConfig.of(List.of(stage.node.address()))
            .withSession(Duration.ofSeconds(6), Duration.ofMillis(200))
            .withAssignmentStrategy("uniform")
            .withScheduledRebalanceMaxDelay(DELAY),
        RebalanceObserver.none());
  }

  private static CoordinatedMember join(CoordinatorRebalanceEngine engine, String name) {
    return engine.join(
        new MemberConfig(new GroupId("g"), name, Subscription.copyOf(Map.of("t", 1))),
        OwnershipListener.none());
  }

  private static String described(WireClient client) throws Exception {
    DescribeGroupsResponseData answer =
        client.ask(
            ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData().setGroups(List.of("g")));
    return answer.groups().get(0).protocolData();
  }

  @Test
  void describeGroupsSaysWhatIsLeftOfADelayUntilItIsOver() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t", 6);
      try (CoordinatorRebalanceEngine one = engine(stage);
          CoordinatorRebalanceEngine two = engine(stage);
          WireClient client = new WireClient(stage.node)) {
        CoordinatedMember stays = join(one, "c1");
        CoordinatedMember goes = join(two, "c2");
        await()
            .atMost(DEADLINE)
            .until(() -> stays.assignment().size() == 3 && goes.assignment().size() == 3);
        assertThat(described(client)).isEqualTo("uniform");

        goes.close();
        Matcher delayed =
            await()
                .atMost(DEADLINE)
                .until(() -> DELAYED.matcher(described(client)), Matcher::matches);
        assertThat(Integer.parseInt(delayed.group(1))).isBetween(1, (int) DELAY.toMillis());
        assertThat(stays.assignment().size()).isEqualTo(3);

        await().atMost(DEADLINE).until(() -> stays.assignment().size() == 6);
        await().atMost(DEADLINE).until(() -> described(client).equals("uniform"));
      }
    }
  }
}
