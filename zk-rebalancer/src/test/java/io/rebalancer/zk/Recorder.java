package io.rebalancer.zk;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps every observation in the order in which it came. */
final class Recorder implements RebalanceObserver {

  private final List<Observation> all = new CopyOnWriteArrayList<>();

  @Override
  public void on(Observation observation) {
    all.add(observation);
  }

  <T extends Observation> List<T> of(Class<T> type) {
    return all.stream().filter(type::isInstance).map(type::cast).toList();
  }

  long count(Class<? extends Observation> type) {
    return all.stream().filter(type::isInstance).count();
  }

  List<LedgerEntry> ledger() {
    return of(Observation.Ownership.class).stream().map(Observation.Ownership::entry).toList();
  }

  void clear() {
    all.clear();
  }
}
