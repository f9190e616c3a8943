package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

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
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A Kafka broker of some release, number 1, on a chroot and in a JVM of its own. */
final class RealBroker implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path folder;
  private final String address;

  private RealBroker(Process process, Path folder, String address) {
    this.process = process;
    this.folder = folder;
    this.address = address;
  }

  /**
   * Starts one and waits until it serves.
   *
   * @param registered whether it is in ZooKeeper
   */
  static RealBroker start(String release, String connect, BooleanSupplier registered) {
    try {
      Path folder = Files.createTempDirectory("kafka-" + release);
      int port = freePort();
      Properties properties = new Properties();
      properties.putAll(
          Map.of(
              "broker.id", "1",
              "listeners", "PLAINTEXT://127.0.0.1:" + port,
              "zookeeper.connect", connect,
              "zookeeper.connection.timeout.ms", "30000",
              "log.dirs", folder.resolve("logs").toString(),
              "offsets.topic.num.partitions", "1",
              "offsets.topic.replication.factor", "1",
              "controlled.shutdown.enable", "false"));
      // What 0.8 has in place of listeners.
      properties.putAll(Map.of("host.name", "127.0.0.1", "port", Integer.toString(port)));
      Path file = folder.resolve("server.properties");
      try (var writer = Files.newBufferedWriter(file, UTF_8)) {
        properties.store(writer, null);
      }
      List<String> command = PeerJvm.command(PeerRelease.classPath(release), "kafka.Kafka");
      command.add(file.toString());
      File log = folder.resolve("out.txt").toFile();
      Process process =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
      RealBroker broker = new RealBroker(process, folder, "127.0.0.1:" + port);
      await("broker " + release)
          .atMost(PATIENCE)
          .until(() -> registered.getAsBoolean() || !process.isAlive());
      if (!process.isAlive()) {
        throw new AssertionError(
            "kafka " + release + ":\n" + Files.readString(log.toPath(), UTF_8));
      }
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** HOST:PORT. */
  String address() {
    return address;
  }

  /** Writes records to a topic's partitions: as many to each as the list says. */
  void produce(String topic, List<Integer> counts) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", address, "enable.idempotence", "false"),
            new StringSerializer(),
            new StringSerializer())) {
      for (int partition = 0; partition < counts.size(); partition++) {
        for (int i = 0; i < counts.get(partition); i++) {
          producer.send(new ProducerRecord<>(topic, partition, null, "record " + i)).get();
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
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
