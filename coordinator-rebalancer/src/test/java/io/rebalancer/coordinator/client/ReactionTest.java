package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReactionTest {

  @ParameterizedTest
  @CsvSource({
    "0, GO_ON",
    "79, TAKE_ID",
    "27, REJOIN",
    "22, RESET",
    "25, FORGET",
    "14, SEEK",
    "15, SEEK",
    "16, SEEK",
    "23, END",
    "24, END",
    "26, END",
    "30, END",
    "35, END",
    "81, END",
    "82, END",
    "-1, RETRY",
    "7, RETRY",
    "3, RETRY"
  })
  void everyCodeOfTheProtocolHasItsReaction(short code, Reaction expected) {
    assertThat(Reaction.to(Errors.forCode(code))).isEqualTo(expected);
  }
}
