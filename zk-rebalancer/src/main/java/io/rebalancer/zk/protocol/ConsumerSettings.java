package io.rebalancer.zk.protocol;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.MemberId;
import java.time.Duration;

/**
 * What a consumer's decisions depend on besides what happens.
 *
 * @param maxTries {@code rebalance.max.retries}: the number of tries, not of repeated ones
 * @param backoff {@code rebalance.backoff.ms}: after each failed try, also after the last
 * @param registrationWait how long after it met another's registration under its id, where it waits
 *     for that to go (kafka 0.8: the session timeout)
 * @param wildcard it subscribes by a pattern, and so follows which topics there are
 * @param strict it goes on after the last try, and registers again when its registration is gone
 */
public record ConsumerSettings(
    MemberId self,
    RebalancePlanner planner,
    int maxTries,
    Duration backoff,
    Duration registrationWait,
    boolean wildcard,
    boolean strict) {

  public ConsumerSettings {
    requireNonNull(self, "self");
    requireNonNull(planner, "planner");
    requireNonNull(backoff, "backoff");
    requireNonNull(registrationWait, "registrationWait");
  }
}
