package io.rebalancer.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "assignors --partitions 0 | --partitions: 0 (expected: 1 to 10000000)",
        "assignors --partitions ten | 'ten' is not an int",
        "assignors --members 1 | --members: 1 (expected: 2 to 100000)",
        "assignors --subscriptions some | expected one of [IDENTICAL, MIXED]",
        "assignors --changes join | expected one of [FRESH, LEAVE]",
        "assignors --assignors kafka | 'kafka' is none of sticky, cooperative-sticky, range,",
        "assignors --limit 0 | --limit: 0 (expected: 1 to 3600)",
        "assignors --heap much | --heap: much (expected: a size such as 512m or 4g)",
        "assignors --quick --assignors range | --assignors: [range] (expected: one that",
        "assignors more | Unmatched argument",
        "'' | no benchmark named",
      })
  void aValueThatCannotBeUsedIsOneLineAndExitCodeTwo(String args, String expected) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int exit =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(err),
            args.isEmpty() ? new String[0] : args.split(" ", -1));

    assertThat(exit).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith("rebalancer: ").contains(expected).hasLineCount(1);
  }
}
