package io.rebalancer.core.testkit;

import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerVerdict;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps every observation of a test, and checks the ownership among them. Thread-safe. */
public final class OwnershipLedger implements RebalanceObserver {

  private final List<Observation> observations = new CopyOnWriteArrayList<>();

  @Override
  public void on(Observation observation) {
    observations.add(observation);
  }

  public <T extends Observation> List<T> all(Class<T> kind) {
    return observations.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  public List<LedgerEntry> entries() {
    return all(Observation.Ownership.class).stream().map(Observation.Ownership::entry).toList();
  }

  /** The verdict on everything up to now. */
  public LedgerVerdict check() {
    return LedgerChecker.check(entries(), Ticker.system().nanos());
  }
}
