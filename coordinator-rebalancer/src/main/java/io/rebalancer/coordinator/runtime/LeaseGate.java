package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a shard does without a lease: nothing is answered and no timer runs out until it is known
 * whether this is still the coordinator. For the shard's thread alone.
 */
final class LeaseGate {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Leadership leadership;
  private final Ticker ticker;
  private List<Runnable> held = new ArrayList<>();
  private boolean lapsed;
  private long graceEnd;

  LeaseGate(Leadership leadership, Ticker ticker) {
    this.leadership = leadership;
    this.ticker = ticker;
    graceEnd = ticker.nanos();
  }

  Standing standing() {
    Standing standing = leadership.standing();
    lapsed |= standing == Standing.LAPSED;
    return standing;
  }

  /** Whether a request may be served now; if not, it is refused or comes {@code again} later. */
  boolean admits(RequestKind kind, Consumer<GroupError> refused, Runnable again) {
    switch (standing()) {
      case SERVING -> {
        return true;
      }
      case SUSPENDED -> {
        if (!kind.needsStore()) {
          return true;
        }
        refused.accept(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
      }
      case LAPSED -> held.add(again);
      case LOADING -> refused.accept(kind.busy());
      case RESIGNED -> refused.accept(GroupError.NOT_COORDINATOR);
    }
    return false;
  }

  /** Whether {@code task} has to wait for {@link #release}. */
  boolean holds(Runnable task) {
    return standing() == Standing.LAPSED && held.add(task);
  }

  /**
   * Whether timers may run out. After a pause of the whole process heartbeats are still on their
   * way when the timers are already due.
   */
  boolean isTimeUp() {
    if (standing() == Standing.LAPSED) {
      graceEnd = ticker.nanos() + GRACE.toNanos();
    }
    return graceEnd - ticker.nanos() <= 0;
  }

  long nanosOfGrace() {
    return graceEnd - ticker.nanos();
  }

  /** Whether a lapse is over, which is said once. */
  boolean isLapseOver() {
    boolean over = standing() != Standing.LAPSED && lapsed;
    lapsed &= !over;
    return over;
  }

  /** The standing is another than before: what was held is tried again. */
  void release() {
    List<Runnable> again = held;
    held = new ArrayList<>();
    again.forEach(Runnable::run);
  }
}
