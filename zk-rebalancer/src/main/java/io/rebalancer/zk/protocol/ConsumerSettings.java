package io.rebalancer.zk.protocol;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.MemberId;
import java.time.Duration;

/**
 * What a consumer's decisions depend on besides what happens.
 *
 * @param maxTries {@code rebalance.max.retries}: the number of tries, not of repeated ones
 * @param backoff {@code rebalance.backoff.ms}: after each failed try, also after the last
 * @param wildcard it subscribes by a pattern, and so follows which topics there are
 */
public record ConsumerSettings(
    MemberId self, RebalancePlanner planner, int maxTries, Duration backoff, boolean wildcard) {

  public ConsumerSettings {
    requireNonNull(self, "self");
    requireNonNull(planner, "planner");
    requireNonNull(backoff, "backoff");
  }
}
