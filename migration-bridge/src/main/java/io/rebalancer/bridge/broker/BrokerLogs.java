package io.rebalancer.bridge.broker;

import io.rebalancer.bridge.group.LogRange;
import io.rebalancer.bridge.runtime.EnvironmentException;
import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Where the logs of partitions begin and end. Brokers have to be of 2.1 or later (KIP-896). */
public final class BrokerLogs implements AutoCloseable {

  /** For each of the two or three questions that a reading takes. */
  private static final int ANSWER_MS = 10_000;

  private static final int REQUEST_MS = 5_000;

  private final String bootstrapServers;
  private final Admin admin;

  /**
   * Connects when it is first asked.
   *
   * @param bootstrapServers HOST:PORT[,HOST:PORT...]
   * @throws EnvironmentException if none of the names resolves
   */
  public BrokerLogs(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
    try {
      admin =
          Admin.create(
              Map.of(
                  AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                  AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS,
                  AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS,
                  AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, REQUEST_MS));
    } catch (KafkaException e) {
      throw new EnvironmentException(
          "Kafka " + bootstrapServers + " is not reachable: no name resolves", e);
    }
  }

  /**
   * What was asked for.
   *
   * @param ranges of partitions whose leader answered
   * @param unknown why the others are not known, half a sentence each
   */
  public record Logs(
      SortedMap<TopicPartition, LogRange> ranges, SortedMap<TopicPartition, String> unknown) {}

  /**
   * Reads the first and the end offset of each.
   *
   * @throws EnvironmentException if no broker answers within 10 seconds, or they are too old
   */
  public Logs read(Collection<TopicPartition> partitions) {
    Logs logs = new Logs(new TreeMap<>(), new TreeMap<>());
    List<TopicPartition> led = led(partitions, logs.unknown());
    ListOffsetsResult firsts = admin.listOffsets(ask(led, OffsetSpec.earliest()));
    ListOffsetsResult ends = admin.listOffsets(ask(led, OffsetSpec.latest()));
    for (TopicPartition partition : led) {
      try {
        long first = answer(firsts.partitionResult(kafka(partition))).offset();
        long end = answer(ends.partitionResult(kafka(partition))).offset();
        logs.ranges().put(partition, new LogRange(first, end));
      } catch (UnsupportedVersionException e) {
        throw tooOld(e);
      } catch (ApiException e) {
        logs.unknown().put(partition, "its leader says: " + e.getMessage());
      }
    }
    return logs;
  }

  /** Those that have a leader: the client waits in vain for the others. */
  private List<TopicPartition> led(
      Collection<TopicPartition> partitions, SortedMap<TopicPartition, String> unknown) {
    Map<String, KafkaFuture<TopicDescription>> asked =
        admin
            .describeTopics(
                partitions.stream().map(TopicPartition::topic).distinct().sorted().toList())
            .topicNameValues();
    Map<TopicPartition, Boolean> hasLeader = new HashMap<>();
    asked.forEach(
        (topic, description) -> {
          for (TopicPartitionInfo info : partitionsOf(description)) {
            hasLeader.put(new TopicPartition(topic, info.partition()), info.leader() != null);
          }
        });
    List<TopicPartition> led = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      if (!hasLeader.containsKey(partition)) {
        unknown.put(partition, "the brokers have no such partition");
      } else if (hasLeader.get(partition)) {
        led.add(partition);
      } else {
        unknown.put(partition, "it has no leader");
      }
    }
    return led;
  }

  private List<TopicPartitionInfo> partitionsOf(KafkaFuture<TopicDescription> description) {
    try {
      return answer(description).partitions();
    } catch (UnsupportedVersionException e) {
      throw tooOld(e);
    } catch (TimeoutException e) {
      throw new EnvironmentException(
          "Kafka "
              + bootstrapServers
              + " is not reachable: no broker of kafka 2.1 or later answered within "
              + ANSWER_MS
              + " ms",
          e);
    } catch (ApiException e) {
      return List.of();
    }
  }

  private EnvironmentException tooOld(UnsupportedVersionException e) {
    return new EnvironmentException(
        "Kafka "
            + bootstrapServers
            + ": its brokers cannot be asked (expected: kafka 2.1 or later): "
            + e.getMessage(),
        e);
  }

  private static Map<org.apache.kafka.common.TopicPartition, OffsetSpec> ask(
      List<TopicPartition> partitions, OffsetSpec what) {
    Map<org.apache.kafka.common.TopicPartition, OffsetSpec> question = new HashMap<>();
    partitions.forEach(partition -> question.put(kafka(partition), what));
    return question;
  }

  private static org.apache.kafka.common.TopicPartition kafka(TopicPartition partition) {
    return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
  }

  private static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ApiException refused) {
        throw refused;
      }
      throw new EnvironmentException("Kafka: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EnvironmentException("Kafka: interrupted", e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
