package io.rebalancer.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatedFailureTest {

  private final RepeatedFailure failures = new RepeatedFailure();

  @Test
  void eachKindIsFirstOnceAlsoWhenTheyTakeTurnsUntilASuccess() {
    assertThat(failures.isFirst("a")).isTrue();
    assertThat(failures.isFirst("b")).isTrue();
    assertThat(failures.isFirst("a")).isFalse();
    assertThat(failures.isFirst("b")).isFalse();

    assertThat(failures.succeeded()).isEqualTo(4);

    assertThat(failures.succeeded()).isZero();
    assertThat(failures.isFirst("a")).isTrue();
  }

  @Test
  void textsThatAreNeverTheSameAreFirstOnlySoOften() {
    assertThat(IntStream.range(0, 100).filter(i -> failures.isFirst("at " + i))).hasSize(16);
    assertThat(failures.succeeded()).isEqualTo(100);
  }
}
