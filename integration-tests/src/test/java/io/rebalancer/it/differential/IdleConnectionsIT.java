package io.rebalancer.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.rebalancer.it.peers.PeerJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Connections that ask nothing, held open by a JVM of their own. */
class IdleConnectionsIT {

  private static final int COUNT = 10_000;

  /** Of each side, beside those connections. */
  private static final int OTHER_FILES = 1_000;

  /** Per connection: its channel, its handlers, what was read last. */
  private static final int BYTES_EACH = 10_000;

  @Test
  void tenThousandIdleConnectionsDisturbNoMember() throws Exception {
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    if (files < COUNT + OTHER_FILES) {
      System.out.println(
          "IdleConnectionsIT skipped: ulimit -n is "
              + files
              + ", and either side needs "
              + (COUNT + OTHER_FILES));
    }
    assumeTrue(files >= COUNT + OTHER_FILES);
    try (Ours ours =
            new Ours(Duration.ofSeconds(6), Duration.ofSeconds(6), KafkaBroker.INITIAL_DELAY);
        Barrier barrier = new Barrier(ours.target());
        Dialog group = new Dialog(ours.target(), barrier, "alive")) {
      group.stable("a");
      int generation = group.generation();
      beat(group);
      long before = used();
      Process process = clients(ours.target());
      try (BufferedReader out =
              new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
          BufferedWriter in =
              new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8))) {
        await()
            .atMost(Duration.ofMinutes(3))
            .pollInterval(Duration.ofMillis(50))
            .pollInSameThread()
            .until(
                () -> {
                  beat(group);
                  return out.ready() || !process.isAlive();
                });
        assertThat(out.readLine()).isEqualTo("open " + COUNT);
        beat(group);
        long grown = used() - before;
        System.out.println(COUNT + " idle connections hold " + grown / COUNT + " bytes each");
        assertThat(grown)
            .as("bytes that %d connections hold", COUNT)
            .isLessThan((long) COUNT * BYTES_EACH);

        in.write("?\n");
        in.flush();
        assertThat(out.readLine()).isEqualTo("alive " + COUNT);
      } finally {
        process.destroyForcibly();
        process.waitFor();
      }
      beat(group);
      assertThat(group.generation()).isEqualTo(generation);
    }
  }

  private static Process clients(Target target) throws Exception {
    List<String> command =
        PeerJvm.command(PeerJvm.classPath("kafka-1.1.1"), IdleClients.class.getName());
    command.addAll(List.of(target.host(), Integer.toString(target.port()), "" + COUNT));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void beat(Dialog group) throws Exception {
    HeartbeatResponseData beat =
        (HeartbeatResponseData)
            group.ask("a", ApiKeys.HEARTBEAT, 4, group.heartbeat("a")).orElseThrow();
    assertThat(Errors.forCode(beat.errorCode())).isEqualTo(Errors.NONE);
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
