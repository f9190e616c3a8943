package io.rebalancer.bridge.experiment;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps what an engine reports during one run. ZooKeeper requests are only counted: there are tens
 * of thousands. Thread-safe.
 */
final class Recorder implements RebalanceObserver {

  private final List<Observation> observations = new ArrayList<>();
  private final Map<Observation.Requested.Kind, Long> requests = new HashMap<>();
  private final Set<String> attempting = new HashSet<>();
  private final Map<String, Long> attemptStartNanos = new HashMap<>();
  private final Map<String, Long> endedAttemptStartNanos = new HashMap<>();
  private long lastChangeNanos = Long.MIN_VALUE;

  @Override
  public synchronized void on(Observation observation) {
    observation.accept(new Keeper());
    notifyAll();
  }

  private final class Keeper implements Observation.Visitor<Void> {

    private Void keep(Observation observation) {
      observations.add(observation);
      return null;
    }

    private Void keepAsChange(Observation observation) {
      lastChangeNanos = Math.max(lastChangeNanos, observation.atNanos());
      return keep(observation);
    }

    @Override
    public Void onRequested(Observation.Requested observation) {
      requests.merge(observation.kind(), 1L, Long::sum);
      return null;
    }

    @Override
    public Void onAttemptStarted(Observation.AttemptStarted observation) {
      attempting.add(observation.member());
      attemptStartNanos.put(observation.member(), observation.atNanos());
      return keepAsChange(observation);
    }

    @Override
    public Void onAttemptEnded(Observation.AttemptEnded observation) {
      attempting.remove(observation.member());
      endedAttemptStartNanos.put(
          observation.member(),
          attemptStartNanos.getOrDefault(observation.member(), Long.MIN_VALUE));
      return keepAsChange(observation);
    }

    @Override
    public Void onOwnership(Observation.Ownership observation) {
      return keepAsChange(observation);
    }

    @Override
    public Void onWatchDelivered(Observation.WatchDelivered observation) {
      return keepAsChange(observation);
    }

    @Override
    public Void onWatchRepaired(Observation.WatchRepaired observation) {
      return keep(observation);
    }

    @Override
    public Void onReconnected(Observation.Reconnected observation) {
      return keep(observation);
    }

    @Override
    public Void onClaimLost(Observation.ClaimLost observation) {
      return keep(observation);
    }

    @Override
    public Void onGaveUp(Observation.GaveUp observation) {
      return keep(observation);
    }

    @Override
    public Void onMemberJoined(Observation.MemberJoined observation) {
      return keep(observation);
    }

    @Override
    public Void onMemberRefused(Observation.MemberRefused observation) {
      return keep(observation);
    }

    @Override
    public Void onZnodeUnreadable(Observation.ZnodeUnreadable observation) {
      return keep(observation);
    }

    @Override
    public Void onOffsetCommitted(Observation.OffsetCommitted observation) {
      return keep(observation);
    }

    @Override
    public Void onPhaseChanged(Observation.PhaseChanged observation) {
      return keep(observation);
    }
  }

  /** Forgets the attempt of a member that will not end it: it has left or crashed. */
  synchronized void gone(String member) {
    attempting.remove(member);
  }

  /** When something last moved; {@link Long#MIN_VALUE} if nothing has. */
  synchronized long lastChangeNanos() {
    return lastChangeNanos;
  }

  /** Whether each of them has ended an attempt that it began at or after that time. */
  synchronized boolean allAttemptedSince(Collection<String> members, long nanos) {
    return members.stream()
        .allMatch(member -> endedAttemptStartNanos.getOrDefault(member, Long.MIN_VALUE) >= nanos);
  }

  /** Notifications at or after that time. */
  synchronized long deliveredSince(long nanos) {
    return observations.stream()
        .filter(o -> o instanceof Observation.WatchDelivered && o.atNanos() >= nanos)
        .count();
  }

  synchronized boolean nobodyAttempts() {
    return attempting.isEmpty();
  }

  /** Waits until something is reported, at most that long; may return early. */
  @SuppressWarnings("WaitNotInLoop") // The caller looks again.
  synchronized void awaitNews(long atMostMs) {
    try {
      wait(Math.max(1, atMostMs));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  synchronized long requests(Observation.Requested.Kind kind) {
    return requests.getOrDefault(kind, 0L);
  }

  synchronized List<Observation> observations() {
    return List.copyOf(observations);
  }

  List<LedgerEntry> ledger() {
    return observations().stream()
        .filter(Observation.Ownership.class::isInstance)
        .map(observation -> ((Observation.Ownership) observation).entry())
        .toList();
  }
}
