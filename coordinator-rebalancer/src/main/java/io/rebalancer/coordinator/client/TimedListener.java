package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.time.Ticker;
import java.util.function.LongConsumer;

/** Tells how long each call of a listener takes. */
record TimedListener(OwnershipListener listener, MemberMeter meter, Ticker ticker)
    implements OwnershipListener {

  @Override
  public void onRevoked(Assignment partitions) {
    timed(() -> listener.onRevoked(partitions), meter::revoked);
  }

  @Override
  public void onAssigned(Assignment partitions) {
    timed(() -> listener.onAssigned(partitions), meter::assigned);
  }

  @Override
  public void onLost(Assignment partitions) {
    timed(() -> listener.onLost(partitions), meter::lost);
  }

  private void timed(Runnable call, LongConsumer taken) {
    long began = ticker.nanos();
    try {
      call.run();
    } finally {
      taken.accept(ticker.nanos() - began);
    }
  }
}
