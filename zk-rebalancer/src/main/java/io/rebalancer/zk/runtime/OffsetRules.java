package io.rebalancer.zk.runtime;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.engine.OffsetStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where offsets are kept, and when reported positions are committed.
 *
 * @param auto whether they are without being asked to: after each interval, and when processing
 *     stops
 * @param zookeeper whether they are written to and read from ZooKeeper
 * @param store another place, asked first; null for none
 */
public record OffsetRules(
    boolean auto, Duration interval, boolean zookeeper, @Nullable OffsetStore store) {

  public OffsetRules {
    requireNonNull(interval, "interval");
  }
}
