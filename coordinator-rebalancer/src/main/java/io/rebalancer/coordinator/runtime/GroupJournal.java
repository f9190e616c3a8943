package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupEffect.Moved;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the groups of one loop do, for the log, the observer and the meter. For that loop alone. */
final class GroupJournal {

  private static final Logger LOG = LoggerFactory.getLogger(GroupJournal.class);

  private final RebalanceObserver observer;
  private final Ticker ticker;
  private final String readableType;
  private final Function<Opaque, Optional<Assignment>> reader;
  private final GroupMeter meter;
  private final GrantedPartitions given;

  /** {@code reader} decodes the assignments of groups whose protocol type is readableType. */
  GroupJournal(
      RebalanceObserver observer,
      Ticker ticker,
      String readableType,
      Function<Opaque, Optional<Assignment>> reader,
      GroupMeter meter) {
    this.observer = observer;
    this.ticker = ticker;
    this.readableType = readableType;
    this.reader = reader;
    this.meter = meter;
    given = new GrantedPartitions(meter);
  }

  /** A step was made; a group appears when there was none before, and goes when none is left. */
  void stepped(GroupId group, @Nullable GroupState before, @Nullable GroupState after) {
    GroupPhase from = before == null ? null : before.phase();
    GroupPhase to = after == null ? null : after.phase();
    if (from != to) {
      meter.phase(from, to);
    }
    if (to == null || to == GroupPhase.DEAD) {
      given.forget(group);
    } else if (after != null && after != before) {
      given.retain(group, after.hard().members().keySet());
    }
  }

  void moved(GroupId group, Moved moved) {
    LOG.info(
        "group {} generation {}: {} -> {} ({})",
        group,
        moved.generation(),
        moved.from(),
        moved.to(),
        moved.reason());
    observer.on(
        new Observation.PhaseChanged(
            ticker.nanos(),
            group,
            moved.generation(),
            moved.from().toString(),
            moved.to().toString(),
            moved.reason().name()));
  }

  void granted(GroupId group, HardState state) {
    if (!state.protocolType().equals(readableType)) {
      return;
    }
    for (Member member : state.members().values()) {
      Optional<Assignment> part =
          member.assignment().size() == 0
              ? Optional.of(Assignment.empty())
              : reader.apply(member.assignment());
      part.ifPresent(partitions -> granted(group, member, partitions, state.generation()));
    }
  }

  private void granted(GroupId group, Member member, Assignment partitions, int generation) {
    given.granted(group, member.id(), partitions);
    observer.on(
        new Observation.Ownership(
            new LedgerEntry(
                ticker.nanos(),
                LedgerEntry.Kind.GRANTED,
                group,
                member.client().clientId(),
                partitions,
                FencingToken.ofGeneration(generation))));
  }

  void shared(GroupId group, GroupEffect.Shared shared) {
    granted(group, shared.member(), shared.granted(), shared.generation());
  }

  /**
   * Said once of those in a row, and counted each time.
   *
   * @param inARow how many have failed
   * @param wait until the next try
   */
  void notAssigned(
      GroupId group,
      GroupEffect.Assign asked,
      @Nullable Throwable failure,
      int inARow,
      Duration wait) {
    meter.notAssigned();
    if (inARow == 1) {
      LOG.error(
          "group {} generation {}: assignor {} failed; everybody keeps what it has; tried again in"
              + " {} ms, then ever more rarely",
          group,
          asked.generation(),
          asked.assignor(),
          wait.toMillis(),
          failure);
    }
  }

  /** A warning, so that whoever has seen the error sees its end. */
  void assignedAgain(GroupId group, GroupEffect.Assign asked, int failures) {
    LOG.warn(
        "group {} generation {}: assignor {} works again, after {} failures",
        group,
        asked.generation(),
        asked.assignor(),
        failures);
  }

  /** What the stored generation gave to its members in all; nothing where that cannot be read. */
  Optional<Assignment> given(HardState state) {
    if (state.shares() != null) {
      return Optional.of(state.shares().spokenFor());
    }
    if (!state.protocolType().equals(readableType)) {
      return Optional.empty();
    }
    Assignment sum = Assignment.empty();
    for (Member member : state.members().values()) {
      if (member.assignment().size() > 0) {
        Optional<Assignment> part = reader.apply(member.assignment());
        if (part.isEmpty()) {
          return Optional.empty();
        }
        sum = sum.plus(part.get());
      }
    }
    return Optional.of(sum);
  }

  void expired(
      GroupId group,
      TopicPartition partition,
      Map<TopicPartition, CommittedOffset> stored,
      long nowMs) {
    CommittedOffset offset = stored.get(partition);
    if (offset != null) {
      LOG.info(
          "group {}: offset {} of {} expired, {} ms after its last commit",
          group,
          offset.offset(),
          partition,
          nowMs - offset.timestampMs());
    }
  }

  void notStored(GroupId group, String what, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    LOG.warn("group {}: {} not stored: {}", group, what, cause.getMessage());
  }

  /** Until its members, or what they want, change. */
  void tooLarge(GroupId group, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    LOG.error(
        "group {}: what its members were assigned is too large to be stored, and none of them is told"
            + " of it, until members or subscriptions change: {}",
        group,
        cause.getMessage());
  }

  void broken(GroupId group, RuntimeException failure) {
    LOG.error(
        "group {} contradicts itself; dropped, to be read back from the store", group, failure);
  }
}
