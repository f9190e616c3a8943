package io.rebalancer.zk.runtime;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.zk.protocol.ConsumerEffect;
import java.util.SortedMap;

/**
 * What one consumer processes, its part of the ledger, and what it tells of its attempts. Once
 * ended it says nothing more: a dead process writes no entries. Thread-safe.
 */
final class Ownership {

  private final GroupId group;
  private final Witness witness;
  private volatile Assignment processing = Assignment.empty();
  private boolean ended;

  Ownership(GroupId group, Witness witness) {
    this.group = group;
    this.witness = witness;
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

  synchronized void attemptStarted(ConsumerEffect.ReportAttempt report) {
    observe(
        new Observation.AttemptStarted(
            now(), witness.member(), report.attempt(), report.trigger().word()));
  }

  synchronized void attemptEnded(ConsumerEffect.ReportOutcome report) {
    observe(
        new Observation.AttemptEnded(
            now(),
            witness.member(),
            report.attempt(),
            !report.failure().isEmpty(),
            report.superseded(),
            report.before(),
            report.after()));
  }

  synchronized void claimLost(TopicPartition partition, String owner) {
    observe(new Observation.ClaimLost(now(), witness.member(), partition, owner));
  }

  synchronized void gaveUp() {
    observe(new Observation.GaveUp(now(), witness.member()));
  }

  private void write(Kind kind, Assignment partitions, FencingToken token) {
    observe(
        new Observation.Ownership(
            new LedgerEntry(now(), kind, group, witness.member(), partitions, token)));
  }

  private void observe(Observation observation) {
    if (!ended) {
      witness.observer().on(observation);
    }
  }

  private long now() {
    return witness.ticker().nanos();
  }

  private static Assignment of(TopicPartition partition) {
    return Assignment.of(partition.topic(), PartitionSet.of(partition.partition()));
  }
}
