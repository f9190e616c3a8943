package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One of Kafka's own tools, run to its end in a JVM of its own. */
final class RealTool {

  private RealTool() {}

  /**
   * What it printed on both its outputs, and its exit code. Stack traces are cut to their first
   * line.
   */
  record Finished(int exitCode, List<String> lines) {}

  static Finished run(PeerRelease release, String mainClass, String... arguments) {
    List<String> command = PeerJvm.command(release.classPath(), mainClass);
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("still running: " + command + "\n" + output);
      }
      return new Finished(
          process.exitValue(),
          output
              .lines()
              .map(String::stripTrailing)
              .filter(line -> !line.matches("\\s+at .*|Caused by: .*|\\s*\\.\\.\\. \\d+ more"))
              .toList());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
