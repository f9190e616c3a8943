package io.rebalancer.coordinator;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** An unmodified consumer on a thread of its own, that writes what it owns to the ledger. */
final class PolledConsumer implements AutoCloseable, ConsumerRebalanceListener {

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String name;
  private final RebalanceObserver ledger;
  private final CompletableFuture<Void> ended;
  private volatile Assignment share = Assignment.empty();
  private volatile boolean closing;

  PolledConsumer(
      KafkaConsumer<byte[], byte[]> consumer,
      String name,
      List<String> topics,
      RebalanceObserver ledger) {
    this.consumer = consumer;
    this.name = name;
    this.ledger = ledger;
    this.ended = CompletableFuture.runAsync(() -> poll(topics), PolledConsumer::spawn);
  }

  private static void spawn(Runnable task) {
    Thread thread = new Thread(task, "polled-consumer");
    thread.setDaemon(true);
    thread.start();
  }

  private void poll(List<String> topics) {
    try (consumer) {
      consumer.subscribe(topics, this);
      while (!closing) {
        consumer.poll(Duration.ofMillis(50));
        share = assignment(consumer.assignment());
      }
    }
  }

  Assignment assignment() {
    if (ended.isCompletedExceptionally()) {
      ended.join();
    }
    return share;
  }

  @Override
  public void onPartitionsAssigned(Collection<org.apache.kafka.common.TopicPartition> partitions) {
    record(Kind.ASSIGNED, partitions);
  }

  @Override
  public void onPartitionsRevoked(Collection<org.apache.kafka.common.TopicPartition> partitions) {
    record(Kind.REVOKED, partitions);
  }

  @Override
  public void onPartitionsLost(Collection<org.apache.kafka.common.TopicPartition> partitions) {
    record(Kind.LOST, partitions);
  }

  private void record(Kind kind, Collection<org.apache.kafka.common.TopicPartition> partitions) {
    ledger.on(
        new Observation.Ownership(
            new LedgerEntry(
                Ticker.system().nanos(),
                kind,
                new GroupId(consumer.groupMetadata().groupId()),
                name,
                assignment(partitions),
                FencingToken.ofGeneration(Math.max(0, consumer.groupMetadata().generationId())))));
  }

  private static Assignment assignment(
      Collection<org.apache.kafka.common.TopicPartition> partitions) {
    return Assignment.ofPartitions(
        partitions.stream().map(p -> new TopicPartition(p.topic(), p.partition())).toList());
  }

  /** Leaves the group. */
  @Override
  public void close() {
    closing = true;
    ended.join();
  }
}
