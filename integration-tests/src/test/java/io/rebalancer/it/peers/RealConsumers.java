package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter.Kind;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A JVM with Kafka's original consumers of one release, driven through {@link OldConsumers}. */
final class RealConsumers implements AutoCloseable {

  static final Duration BACKOFF = Duration.ofMillis(300);

  /** Tries enough for a busy machine, and for more than a session of 4 s. */
  static final int RETRIES = 20;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PeerRelease release;
  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private RealConsumers(PeerRelease release, Process process) {
    this.release = release;
    this.process = process;
    Thread reader = new Thread(this::read, "kafka " + release + " " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** What members of a test's group are configured with; everything else is the default. */
  static Map<String, String> config(String connect, String strategy, Duration session) {
    return Map.of(
        "group.id", PeerStage.GROUP.value(),
        "zookeeper.connect", connect,
        "zookeeper.session.timeout.ms", Long.toString(session.toMillis()),
        "zookeeper.connection.timeout.ms", "20000",
        "rebalance.max.retries", Integer.toString(RETRIES),
        "rebalance.backoff.ms", Long.toString(BACKOFF.toMillis()),
        "partition.assignment.strategy", strategy);
  }

  /** Starts the JVM and does not wait for it. */
  static RealConsumers start(PeerRelease release, Map<String, String> config) {
    List<String> command = PeerJvm.command(release.classPath(), OldConsumers.class.getName());
    config.forEach((key, value) -> command.add(key + "=" + value));
    try {
      return new RealConsumers(
          release, new ProcessBuilder(command).redirectErrorStream(true).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("output ends: " + e.getMessage());
    }
  }

  /** Returns at once; {@link #awaitDone} waits for its first rebalance. */
  RealConsumers join(String name, TopicSelection topics) {
    StringBuilder command = new StringBuilder();
    if (topics instanceof WildcardSubscription wildcard) {
      String kind = wildcard.filter().kind() == Kind.WHITE_LIST ? "whitelist" : "blacklist";
      command
          .append(String.join(" ", "filter", name, kind, Integer.toString(wildcard.streams())))
          .append(' ')
          .append(wildcard.filter().regex());
    } else {
      command.append("join ").append(name);
      ((Subscription) topics)
          .streams()
          .forEach((topic, count) -> command.append(' ').append(topic).append('=').append(count));
    }
    return send(command.toString());
  }

  /** Needs {@code consumer.timeout.ms}. */
  RealConsumers consume(String name, int records) {
    lines.remove("ok " + name);
    return send("consume " + name + " " + records);
  }

  RealConsumers commit(String name) {
    lines.remove("ok " + name);
    return send("commit " + name);
  }

  RealConsumers leave(String name) {
    lines.remove("ok " + name);
    return send("leave " + name);
  }

  private RealConsumers send(String command) {
    try {
      process.getOutputStream().write((command + "\n").getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new AssertionError(describe("does not take \"" + command + "\""), e);
    }
    return this;
  }

  /** Waits until the last command for that consumer has succeeded. */
  void awaitDone(String name) {
    await(name)
        .atMost(PATIENCE)
        .until(
            () ->
                lines.contains("ok " + name)
                    || lines.stream().anyMatch(line -> line.startsWith("failed " + name + " "))
                    || !process.isAlive());
    assertThat(lines).as(describe("no ok for " + name)).contains("ok " + name);
  }

  /** The consumers' own log so far, without its prefix. */
  List<String> log() {
    return lines.stream()
        .filter(line -> line.startsWith("log "))
        .map(line -> line.substring(line.indexOf(' ', 4) + 1))
        .toList();
  }

  /** What a consumer said last that it owns. */
  Optional<Selection> lastSelection(String consumer) {
    return log().stream()
        .flatMap(line -> Selection.parse(line).stream())
        .filter(selection -> selection.consumer().equals(consumer))
        .reduce((earlier, later) -> later);
  }

  /** Whether a consumer has used up its tries. */
  boolean hasGivenUp() {
    return lines.stream().anyMatch(line -> line.contains("can't rebalance after"));
  }

  private String describe(String problem) {
    return "kafka " + release + ": " + problem + "\n" + String.join("\n", lines);
  }

  /** As kill -9: no shutdown, no goodbye. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  /** Shuts every consumer down, and the JVM. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
