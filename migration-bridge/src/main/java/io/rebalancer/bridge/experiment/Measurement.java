package io.rebalancer.bridge.experiment;

import io.rebalancer.bridge.experiment.RunResult.Rebalances;
import io.rebalancer.bridge.experiment.RunResult.Spread;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.OwnershipTimeline;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.AttemptEnded;
import io.rebalancer.core.observe.Observation.AttemptStarted;
import io.rebalancer.core.observe.Observation.GaveUp;
import io.rebalancer.core.observe.Observation.WatchDelivered;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What happened between a change and the settled state after it, by the definitions of
 * docs/experiments.md. Pure.
 *
 * @param observations of the whole run, in the order they were reported
 * @param fromNanos when the change was made
 * @param toNanos when the group had settled again, or the deadline
 * @param before who owned what when it was made, by member
 * @param after who owns what at the end, by member: those that are there
 */
record Measurement(
    List<Observation> observations,
    long fromNanos,
    long toNanos,
    SortedMap<String, Assignment> before,
    SortedMap<String, Assignment> after) {

  private static final double NANOS_PER_MS = 1e6;

  private <T extends Observation> List<T> inWindow(Class<T> kind) {
    return observations.stream()
        .filter(kind::isInstance)
        .map(kind::cast)
        .filter(o -> o.atNanos() >= fromNanos && o.atNanos() <= toNanos)
        .toList();
  }

  private List<LedgerEntry> ledger() {
    return observations.stream()
        .filter(Observation.Ownership.class::isInstance)
        .map(observation -> ((Observation.Ownership) observation).entry())
        .toList();
  }

  List<WatchDelivered> delivered() {
    return inWindow(WatchDelivered.class);
  }

  List<Observation.Reconnected> reconnected() {
    return inWindow(Observation.Reconnected.class);
  }

  int gaveUp() {
    return inWindow(GaveUp.class).size();
  }

  /**
   * Every attempt that began in the window. One that did not end in it counts as failed: whatever
   * it claimed was of no use to the settled group.
   */
  Rebalances rebalances() {
    List<AttemptEnded> ended = inWindow(AttemptEnded.class);
    int attempts = inWindow(AttemptStarted.class).size();
    int redundant = 0;
    int productive = 0;
    for (AttemptEnded attempt : ended) {
      if (attempt.failed()) {
        continue;
      }
      if (attempt.superseded() || attempt.before().equals(attempt.after())) {
        redundant++;
      } else {
        productive++;
      }
    }
    return new Rebalances(
        attempts, productive, redundant, attempts - productive - redundant, necessary());
  }

  /** Members there are after the change whose share is another than before. */
  private int necessary() {
    return (int)
        after.entrySet().stream()
            .filter(
                member ->
                    !member
                        .getValue()
                        .equals(before.getOrDefault(member.getKey(), Assignment.empty())))
            .count();
  }

  /**
   * Notifications that changed the assignment of the member they reached: the first attempt it
   * began afterwards, followed to its success or to the last of its tries, ended with another set.
   * For the coordinator: those that changed the assignment of any member.
   */
  long useful() {
    return delivered().stream().filter(this::isUseful).count();
  }

  private boolean isUseful(WatchDelivered event) {
    if (event.session().equals(Observation.COORDINATOR)) {
      return necessary() > 0;
    }
    Optional<Assignment> had = Optional.empty();
    for (AttemptEnded attempt : attemptsStartedAfter(event)) {
      if (had.isEmpty()) {
        had = Optional.of(attempt.before());
      }
      if (!attempt.failed()) {
        return !attempt.after().equals(had.get());
      }
    }
    return false;
  }

  private List<AttemptEnded> attemptsStartedAfter(WatchDelivered event) {
    List<Integer> numbers =
        inWindow(AttemptStarted.class).stream()
            .filter(a -> a.member().equals(event.session()) && a.atNanos() >= event.atNanos())
            .map(AttemptStarted::attempt)
            .toList();
    return inWindow(AttemptEnded.class).stream()
        .filter(a -> a.member().equals(event.session()) && numbers.contains(a.attempt()))
        .toList();
  }

  /** Per partition that exists after the change: how long nobody owned it. */
  Optional<Spread> unowned(Assignment partitions) {
    OwnershipTimeline timeline = OwnershipTimeline.of(ledger());
    return spread(
        partitions.stream().map(p -> timeline.unownedNanos(p, fromNanos, toNanos)).toList());
  }

  double doubleOwnedMs() {
    return rounded(OwnershipTimeline.of(ledger()).doubleOwnedNanos(toNanos));
  }

  /**
   * Per member that was there before and after: how long it had revoked and not yet been assigned.
   */
  Optional<Spread> stopped() {
    return spread(
        before.keySet().stream().filter(after::containsKey).map(this::stoppedNanos).toList());
  }

  private long stoppedNanos(String member) {
    long stopped = 0;
    long since = Long.MIN_VALUE;
    for (Observation observation : observations) {
      if (observation.atNanos() < fromNanos || observation.atNanos() > toNanos) {
        continue;
      }
      if (since == Long.MIN_VALUE && stops(observation, member)) {
        since = observation.atNanos();
      } else if (since != Long.MIN_VALUE && resumes(observation, member)) {
        stopped += observation.atNanos() - since;
        since = Long.MIN_VALUE;
      }
    }
    return since == Long.MIN_VALUE ? stopped : stopped + toNanos - since;
  }

  private static boolean stops(Observation observation, String member) {
    return observation instanceof Observation.Ownership ownership
        && ownership.entry().member().equals(member)
        && (ownership.entry().kind() == LedgerEntry.Kind.REVOKED
            || ownership.entry().kind() == LedgerEntry.Kind.LOST);
  }

  /** A member whose new share is empty has resumed too: there is nothing it waits for. */
  private static boolean resumes(Observation observation, String member) {
    return (observation instanceof Observation.Ownership ownership
            && ownership.entry().member().equals(member)
            && ownership.entry().kind() == LedgerEntry.Kind.ASSIGNED)
        || (observation instanceof AttemptEnded attempt
            && attempt.member().equals(member)
            && !attempt.failed());
  }

  private static Optional<Spread> spread(List<Long> nanos) {
    if (nanos.isEmpty()) {
      return Optional.empty();
    }
    List<Long> sorted = new ArrayList<>(nanos);
    sorted.sort(null);
    return Optional.of(
        new Spread(
            rounded(sorted.get((sorted.size() - 1) / 2)), rounded(sorted.get(sorted.size() - 1))));
  }

  /** Milliseconds with three digits. */
  static double rounded(long nanos) {
    return Math.round(nanos / NANOS_PER_MS * 1000) / 1000.0;
  }
}
