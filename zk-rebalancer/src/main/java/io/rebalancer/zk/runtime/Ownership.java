package io.rebalancer.zk.runtime;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.util.SortedMap;

/**
 * What one consumer processes, and its part of the ledger. Once ended it says nothing more: a dead
 * process writes no entries. Thread-safe.
 */
final class Ownership {

  private final GroupId group;
  private final String member;
  private final RebalanceObserver observer;
  private final Ticker ticker;
  private volatile Assignment processing = Assignment.empty();
  private boolean ended;

  Ownership(GroupId group, String member, RebalanceObserver observer, Ticker ticker) {
    this.group = group;
    this.member = member;
    this.observer = observer;
    this.ticker = ticker;
  }

  Assignment processing() {
    return processing;
  }

  /** After the owner node was created. */
  synchronized void claimed(TopicPartition partition, FencingToken token) {
    write(Kind.CLAIMED, of(partition), token);
  }

  /** After the owner node was deleted. */
  synchronized void released(TopicPartition partition, FencingToken token) {
    write(Kind.RELEASED, of(partition), token);
  }

  /** Just before processing begins; one entry per partition, each with its claim's token. */
  synchronized void assigned(SortedMap<TopicPartition, FencingToken> held) {
    held.forEach((partition, token) -> write(Kind.ASSIGNED, of(partition), token));
    if (!ended) {
      processing = Assignment.ofPartitions(held.keySet());
    }
  }

  /** When processing has ended, before any owner node is deleted. */
  synchronized void revoked(Assignment partitions) {
    Assignment stopped = processing.and(partitions);
    if (!stopped.isEmpty()) {
      processing = processing.minus(stopped);
      write(Kind.REVOKED, stopped, FencingToken.NONE);
    }
  }

  /** Returns what was really processed of {@code partitions} until now. */
  synchronized Assignment lost(Assignment partitions) {
    Assignment lost = processing.and(partitions);
    if (!lost.isEmpty()) {
      processing = processing.minus(lost);
      write(Kind.LOST, lost, FencingToken.NONE);
    }
    return lost;
  }

  /** Whatever is still processed is lost. */
  synchronized void end() {
    lost(processing);
    ended = true;
  }

  /** Passes an observation on unless this consumer has ended. */
  synchronized void observe(Observation observation) {
    if (!ended) {
      observer.on(observation);
    }
  }

  private void write(Kind kind, Assignment partitions, FencingToken token) {
    observe(
        new Observation.Ownership(
            new LedgerEntry(ticker.nanos(), kind, group, member, partitions, token)));
  }

  private static Assignment of(TopicPartition partition) {
    return Assignment.of(partition.topic(), PartitionSet.of(partition.partition()));
  }
}
