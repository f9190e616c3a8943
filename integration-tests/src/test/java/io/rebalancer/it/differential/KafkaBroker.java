package io.rebalancer.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.rebalancer.it.peers.PeerJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;

/** A broker of Kafka 4.4.0 that is its own controller, in a JVM of its own. */
final class KafkaBroker implements AutoCloseable {

  static final String RELEASE = "4.4.0";
  static final Duration INITIAL_DELAY = Duration.ofMillis(10);
  static final Duration MIN_SESSION = Duration.ofMillis(1_500);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path folder;
  private final Target target;

  private KafkaBroker(Process process, Path folder, Target target) {
    this.process = process;
    this.folder = folder;
    this.target = target;
  }

  static KafkaBroker start(Duration initialDelay) throws Exception {
    Path folder = Files.createTempDirectory("kafka-" + RELEASE);
    int port = freePort();
    int controller = freePort();
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            "process.roles", "broker,controller",
            "node.id", "1",
            "controller.quorum.voters", "1@127.0.0.1:" + controller,
            "controller.listener.names", "CONTROLLER",
            "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
            "log.dirs", folder.resolve("logs").toString(),
            "offsets.topic.num.partitions", "1",
            "offsets.topic.replication.factor", "1",
            "auto.create.topics.enable", "false",
            "controlled.shutdown.enable", "false"));
    // One thread each takes requests in the order in which they came.
    properties.putAll(
        Map.of(
            "num.network.threads",
            "1",
            "num.io.threads",
            "1",
            "group.initial.rebalance.delay.ms",
            Long.toString(initialDelay.toMillis()),
            "group.min.session.timeout.ms",
            Long.toString(MIN_SESSION.toMillis())));
    Path file = folder.resolve("server.properties");
    try (var writer = Files.newBufferedWriter(file, UTF_8)) {
      properties.store(writer, null);
    }
    File log = folder.resolve("out.txt").toFile();
    List<String> format = command("kafka.tools.StorageTool");
    format.addAll(List.of("format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()));
    if (run(format, log).waitFor() != 0) {
      throw new AssertionError(Files.readString(log.toPath(), UTF_8));
    }
    List<String> serve = command("kafka.Kafka");
    serve.add(file.toString());
    Process process = run(serve, log);
    try {
      return new KafkaBroker(process, folder, prepared("127.0.0.1:" + port, process));
    } catch (Exception | AssertionError e) {
      process.destroyForcibly();
      throw new AssertionError(Files.readString(log.toPath(), UTF_8), e);
    }
  }

  private static List<String> command(String mainClass) {
    return PeerJvm.command(PeerJvm.classPath("kafka-" + RELEASE), mainClass);
  }

  private static Process run(List<String> command, File log) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
        .start();
  }

  private static Target prepared(String address, Process process) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      NewTopic topic = new NewTopic(Target.TOPIC, Target.PARTITIONS, (short) 1);
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(
              () -> {
                if (!process.isAlive()) {
                  return true;
                }
                if (!admin.listTopics().names().get(5, TimeUnit.SECONDS).contains(Target.TOPIC)) {
                  admin.createTopics(List.of(topic)).all().get(5, TimeUnit.SECONDS);
                }
                return true;
              });
      // Makes the topic of the groups, and waits until they are served.
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(
              () ->
                  admin
                          .listConsumerGroupOffsets("none")
                          .partitionsToOffsetAndMetadata()
                          .get(5, TimeUnit.SECONDS)
                      != null);
    }
    return target("kafka " + RELEASE, address);
  }

  /** What scripts need to know of whoever listens there. */
  static Target target(String name, String address) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      Node node = admin.describeCluster().nodes().get().iterator().next();
      TopicDescription topic =
          admin.describeTopics(List.of(Target.TOPIC)).allTopicNames().get().get(Target.TOPIC);
      return new Target(
          name,
          node.host(),
          node.port(),
          node.id(),
          Map.of(Target.TOPIC, topic.topicId().toString()));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  Target target() {
    return target;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try (Stream<Path> files = Files.walk(folder)) {
      process.waitFor(10, TimeUnit.SECONDS);
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
