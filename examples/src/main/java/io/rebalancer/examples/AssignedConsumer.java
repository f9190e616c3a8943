package io.rebalancer.examples;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientProperties;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Membership from our coordinator, records from Kafka's brokers through {@code assign()}: {@code
 * AssignedConsumer COORDINATOR BROKERS GROUP NAME TOPIC}. One thread, that of {@link #run}, has the
 * consumer and does the work; the listener's calls wait until it has done what they ask for, and
 * the group goes on when they return.
 */
public final class AssignedConsumer implements OwnershipListener, AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(100);

  private final Consumer<byte[], byte[]> records;
  private final java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> work;
  private final CoordinatedMember member;
  private final Queue<FutureTask<?>> changes = new ArrayDeque<>();
  private final Map<TopicPartition, Long> done = new HashMap<>();
  private boolean ended;
  private volatile boolean closing;

  /**
   * @param join makes the member that this is the listener of
   * @param work what is done with a record; called by {@link #run}
   */
  public AssignedConsumer(
      Consumer<byte[], byte[]> records,
      Function<OwnershipListener, CoordinatedMember> join,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> work) {
    this.records = records;
    this.work = work;
    this.member = join.apply(this);
  }

  /** Until it is closed, or the work throws. */
  public void run() {
    try (records) {
      while (!closing) {
        member.keepAlive(); // Else the group goes on without this member.
        applyChanges();
        if (records.assignment().isEmpty()) {
          awaitChange(); // poll() throws when nothing is assigned.
          continue;
        }
        ConsumerRecords<byte[], byte[]> batch = records.poll(POLL);
        for (ConsumerRecord<byte[], byte[]> each : batch) {
          TopicPartition partition = new TopicPartition(each.topic(), each.partition());
          if (member.assignment().contains(partition)) { // Not what was lost since.
            work.accept(each);
            done.put(partition, each.offset() + 1);
          }
        }
        if (!batch.isEmpty()) {
          member.commit(Map.copyOf(done)); // What fails is committed with the next batch.
        }
      }
    } finally {
      end();
      member.close();
    }
  }

  /** The stored position counts, never one that is remembered. */
  @Override
  public void onAssigned(Assignment partitions) {
    change(
        () -> {
          Set<TopicPartition> all = owned();
          partitions.stream().forEach(all::add);
          assign(all);
          partitions.stream()
              .forEach(
                  partition ->
                      member
                          .committed(partition)
                          .join()
                          .ifPresentOrElse(
                              offset -> records.seek(kafkas(partition), offset),
                              () -> records.seekToBeginning(List.of(kafkas(partition)))));
        });
  }

  /** Nobody else gets them before this returns. */
  @Override
  public void onRevoked(Assignment partitions) {
    change(
        () -> {
          Map<TopicPartition, Long> positions = new HashMap<>(done);
          positions.keySet().removeIf(partition -> !partitions.contains(partition));
          drop(partitions);
          member.commit(positions).join();
        });
  }

  /** Others may have them already: nothing is committed. */
  @Override
  public void onLost(Assignment partitions) {
    change(() -> drop(partitions));
  }

  private void drop(Assignment partitions) {
    Set<TopicPartition> left = owned();
    left.removeIf(partitions::contains);
    done.keySet().removeIf(partitions::contains);
    assign(left);
  }

  private Set<TopicPartition> owned() {
    Set<TopicPartition> owned = new HashSet<>();
    records.assignment().forEach(p -> owned.add(new TopicPartition(p.topic(), p.partition())));
    return owned;
  }

  private void assign(Set<TopicPartition> partitions) {
    records.assign(partitions.stream().map(AssignedConsumer::kafkas).toList());
  }

  private static org.apache.kafka.common.TopicPartition kafkas(TopicPartition partition) {
    return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
  }

  /** Has it done by the thread that polls, and waits for that. */
  private void change(Runnable change) {
    FutureTask<?> task = new FutureTask<>(change, null);
    synchronized (changes) {
      if (ended) {
        return;
      }
      changes.add(task);
      changes.notifyAll();
    }
    try {
      task.get();
    } catch (Exception e) {
      throw new IllegalStateException("partitions could not be changed", e);
    }
  }

  private void applyChanges() {
    while (true) {
      FutureTask<?> next;
      synchronized (changes) {
        next = changes.poll();
      }
      if (next == null) {
        return;
      }
      next.run();
    }
  }

  /** As long as a poll at the most. */
  private void awaitChange() {
    synchronized (changes) {
      if (changes.isEmpty()) {
        try {
          changes.wait(POLL.toMillis());
        } catch (InterruptedException e) {
          throw new InterruptException(e); // As poll() does.
        }
      }
    }
  }

  private void end() {
    synchronized (changes) {
      ended = true;
      changes.forEach(change -> change.cancel(false));
    }
  }

  /** From another thread than that of {@link #run}: stops, commits, leaves the group. */
  @Override
  public void close() {
    member.close();
    closing = true;
  }

  public static void main(String[] args) {
    if (args.length != 5) {
      System.err.println("usage: AssignedConsumer COORDINATOR BROKERS GROUP NAME TOPIC");
      System.exit(2);
    }
    CoordinatorRebalanceEngine engine =
        new CoordinatorRebalanceEngine(
            CoordinatorClientProperties.read(
                Map.of(
                    "bootstrap.servers",
                    args[0],
                    "partition.assignment.strategy",
                    "cooperative-sticky")),
            RebalanceObserver.none());
    Consumer<byte[], byte[]> records =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", args[1]),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    MemberConfig who =
        new MemberConfig(new GroupId(args[2]), args[3], Subscription.copyOf(Map.of(args[4], 1)));
    AssignedConsumer consumer =
        new AssignedConsumer(
            records,
            listener -> engine.join(who, listener),
            each ->
                System.out.println(each.topic() + "-" + each.partition() + " " + each.offset()));
    Runtime.getRuntime().addShutdownHook(new Thread(consumer::close));
    consumer.run();
  }
}
