package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.INVALID_SESSION_TIMEOUT;
import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.JAVA;
import static io.rebalancer.coordinator.group.Groups.REBALANCE_MS;
import static io.rebalancer.coordinator.group.Groups.range;
import static io.rebalancer.coordinator.group.Groups.reply;
import static io.rebalancer.coordinator.group.Groups.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Groups} allows 6,000 to 1,800,000 ms. */
class SessionLimitsTest {

  private final Groups groups = new Groups();

  private Step join(int sessionTimeoutMs) {
    return groups.step(
        Groups.unknown(),
        new GroupEvent.JoinRequested(
            request(1),
            "",
            A,
            false,
            true,
            "",
            JAVA,
            sessionTimeoutMs,
            REBALANCE_MS,
            "consumer",
            List.of(range("t")),
            Set.of("t"),
            Kept.NOTHING,
            ""));
  }

  @ParameterizedTest
  @ValueSource(ints = {5_999, 1_800_001, 0, -1})
  void b118AJoinOutsideTheLimitsIsRefusedAndMakesNoMember(int sessionTimeoutMs) {
    Step step = join(sessionTimeoutMs);

    assertThat(step.effects())
        .containsExactly(reply(1, Answer.Joined.failed(INVALID_SESSION_TIMEOUT, "")));
    assertThat(step.state()).isEqualTo(Groups.unknown());
  }

  @ParameterizedTest
  @ValueSource(ints = {6_000, 1_800_000})
  void b118TheLimitsThemselvesAreAllowed(int sessionTimeoutMs) {
    assertThat(join(sessionTimeoutMs).state()).isNotEqualTo(Groups.unknown());
  }
}
