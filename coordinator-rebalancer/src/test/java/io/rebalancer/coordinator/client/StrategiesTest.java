package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategiesTest {

  @Test
  void rangeAndRoundRobinDivideByThread() {
    assertThat(Strategies.named("range"))
        .isInstanceOfSatisfying(
            ThreadStrategy.class,
            strategy -> assertThat(strategy.assignor()).isInstanceOf(RangeAssignor.class));
    assertThat(Strategies.named("roundrobin"))
        .isInstanceOfSatisfying(
            ThreadStrategy.class,
            strategy -> assertThat(strategy.assignor()).isInstanceOf(RoundRobinAssignor.class));
  }

  @ParameterizedTest
  @CsvSource({
    "sticky, STICKY, false",
    "cooperative-sticky, COOPERATIVE, true",
    "uniform, OWNED, true",
    "weighted, OWNED, true",
    "first-takes-all, OWNED, false"
  })
  void allOthersDivideByMember(String name, ClaimFormat format, boolean cooperative) {
    assertThat(Strategies.named(name))
        .isInstanceOfSatisfying(
            MemberStrategy.class,
            strategy -> {
              assertThat(strategy.assignor().name()).isEqualTo(name);
              assertThat(strategy.format()).isEqualTo(format);
              assertThat(strategy.cooperative()).isEqualTo(cooperative);
            });
  }

  @Test
  void anUnknownNameIsRefusedWithThoseThereAre() {
    assertThatThrownBy(() -> Strategies.named("range "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "partition.assignment.strategy: range  (expected: one of cooperative-sticky,"
                + " first-takes-all, range, roundrobin, sticky, uniform, weighted)");
  }
}
