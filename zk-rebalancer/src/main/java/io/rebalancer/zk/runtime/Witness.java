package io.rebalancer.zk.runtime;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;

/** Tells the observer what happened to one member, and when. Thread-safe. */
public record Witness(String member, RebalanceObserver observer, Ticker ticker) {

  public Witness {
    requireNonNull(member, "member");
    requireNonNull(observer, "observer");
    requireNonNull(ticker, "ticker");
  }

  public void watchDelivered(String type, String path) {
    observer.on(new Observation.WatchDelivered(ticker.nanos(), member, type, path));
  }

  public void watchRepaired(String path) {
    observer.on(new Observation.WatchRepaired(ticker.nanos(), member, path));
  }

  public void reconnected() {
    observer.on(new Observation.Reconnected(ticker.nanos(), member));
  }

  public void requested(Kind kind) {
    observer.on(new Observation.Requested(ticker.nanos(), member, kind));
  }

  public void unreadable(String path, String content) {
    observer.on(new Observation.ZnodeUnreadable(ticker.nanos(), member, path, content));
  }

  public void committed(TopicPartition partition, long offset) {
    observer.on(new Observation.OffsetCommitted(ticker.nanos(), member, partition, offset));
  }
}
