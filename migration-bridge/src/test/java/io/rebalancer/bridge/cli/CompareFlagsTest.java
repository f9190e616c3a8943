package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.bridge.experiment.CompareParameters;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CompareFlagsTest {

  @Command
  private static final class Flagged {
    @CommandLine.Mixin CompareFlags flags;
  }

  private static CompareParameters parse(String... arguments) {
    Flagged flagged = new Flagged();
    new CommandLine(flagged).parseArgs(arguments);
    return flagged.flags.parameters();
  }

  @Test
  void theDefaultsAreThoseOfTheDocumentation() {
    assertThat(parse())
        .isEqualTo(
            new CompareParameters(
                20,
                1,
                100,
                3,
                1,
                List.of(
                    "join",
                    "leave",
                    "crash",
                    "broker-add",
                    "broker-restart",
                    "partition-add",
                    "rolling-restart"),
                List.of("zk", "coordinator"),
                "documented",
                3000,
                10_000,
                2000,
                4,
                0,
                5,
                1,
                false));
  }

  @Test
  void scenariosRunInTheirOwnOrderWhateverTheOrderTheyAreNamedIn() {
    assertThat(parse("--scenario", "crash,join", "--engine", "zk").scenarios())
        .containsExactly("join", "crash");
  }

  @Test
  void numbersOutOfBoundsAreNamedWithTheirBounds() {
    assertThatThrownBy(() -> parse("--partitions", "0"))
        .isInstanceOf(UsageException.class)
        .hasMessage("--partitions: 0 (expected: 1 to 60000)");
    assertThatThrownBy(() -> parse("--session-ms", "1999"))
        .hasMessage("--session-ms: 1999 (expected: 2000 to 600000)");
  }
}
