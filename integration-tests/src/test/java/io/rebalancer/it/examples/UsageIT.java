package io.rebalancer.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.it.cli.CommandLineProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An example started without its arguments says which it needs. */
class UsageIT {

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "AssignedConsumer, COORDINATOR BROKERS GROUP NAME TOPIC",
    "ShardWorker, HOST:PORT[/chroot] NAME"
  })
  void missingArgumentsAreNamedInOneLine(String program, String arguments) throws Exception {
    try (CommandLineProcess started =
        CommandLineProcess.startProgram(folder, "io.rebalancer.examples." + program)) {
      CommandLineProcess.Finished finished = started.awaitEnd();

      assertThat(finished.err()).isEqualTo("usage: " + program + " " + arguments + "\n");
      assertThat(finished.exitCode()).isEqualTo(2);
    }
  }
}
