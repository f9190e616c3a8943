package io.rebalancer.it.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.it.cli.CommandLineProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example program as its reader would try it: two workers, one ends. */
class ShardWorkerIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String MAIN = "io.rebalancer.examples.ShardWorker";

  @TempDir private Path folder;

  @Test
  void twoWorkersShareTheShardsAndTheOtherTakesOverWhenOneEnds() throws Exception {
    try (TestingServer server = new TestingServer();
        CommandLineProcess first =
            CommandLineProcess.startProgram(folder, MAIN, server.getConnectString(), "w1")) {
      awaitLine(first, "assigned shard:0-11");
      try (CommandLineProcess second =
          CommandLineProcess.startProgram(folder, MAIN, server.getConnectString(), "w2")) {
        awaitLine(second, "assigned shard:6-11");
        second.signal("TERM");
        assertThat(second.awaitEnd().out()).endsWith("revoked shard:6-11\n");
      }
      await()
          .atMost(LIMIT)
          .until(() -> first.out().indexOf("shard:0-11", first.out().indexOf("shard:0-5")) > 0);
      first.signal("TERM");
      assertThat(first.awaitEnd().out()).endsWith("revoked shard:0-11\n");
    }
  }

  private static void awaitLine(CommandLineProcess worker, String line) {
    await().atMost(LIMIT).until(() -> worker.out().contains(line + "\n"));
  }
}
