package io.rebalancer.zk;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.zk.protocol.ConsumerSettings;
import io.rebalancer.zk.protocol.RebalancePlanner;
import io.rebalancer.zk.registry.CuratorGroupRegistry;
import io.rebalancer.zk.registry.RegistryRules;
import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.runtime.WatchRules;
import io.rebalancer.zk.runtime.Witness;
import io.rebalancer.zk.runtime.ZkMember;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The original consumer group (kafka 0.8-1.1, {@code ZookeeperConsumerConnector}) against real
 * znodes, with its defects: members of it and original consumers can share a group. Each member has
 * a ZooKeeper session and two threads of its own, besides those of its ZooKeeper client.
 */
public final class ZkRebalanceEngine implements RebalanceEngine {

  private static final Logger log = LoggerFactory.getLogger(ZkRebalanceEngine.class);

  private final ZkEngineConfig config;
  private final RebalanceObserver observer;
  private final Ticker ticker;
  private final Set<ZkMember> members = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Duration> warnedGrant = new AtomicReference<>(Duration.ZERO);
  private volatile boolean closed;

  public ZkRebalanceEngine(ZkEngineConfig config, RebalanceObserver observer) {
    this(config, observer, Ticker.system());
  }

  /** With another clock for the times of observations. */
  public ZkRebalanceEngine(ZkEngineConfig config, RebalanceObserver observer, Ticker ticker) {
    this.config = requireNonNull(config, "config");
    this.observer = requireNonNull(observer, "observer");
    this.ticker = requireNonNull(ticker, "ticker");
    warnOfShortTries(config.sessionTimeout());
    warnOfUnknownStrategy();
  }

  private void warnOfUnknownStrategy() {
    if (!config.knowsItsStrategy()) {
      log.warn(
          "partition.assignment.strategy: \"{}\" is taken for range, as by kafka 0.8.2 (expected:"
              + " range or roundrobin)",
          config.assignmentStrategy());
    }
  }

  /** The original's documentation asks for it; the defaults keep to it (8000 ms and 6000 ms). */
  private void warnOfShortTries(Duration session) {
    if (!config.strict() && config.allTries().compareTo(session) < 0) {
      log.warn(
          "rebalance.max.retries x rebalance.backoff.ms: {} x {} ms = {} ms (expected: at least"
              + " zookeeper.session.timeout.ms, {} ms): a crashed member's owner nodes can outlive"
              + " the tries of the others",
          config.rebalanceMaxRetries(),
          config.rebalanceBackoff().toMillis(),
          config.allTries().toMillis(),
          session.toMillis());
    }
  }

  /** A server keeps to 2 to 20 of its ticks unless it is configured otherwise. */
  private void warnOfGrant(Duration granted) {
    Duration asked = config.sessionTimeout();
    if (granted.equals(asked)
        || granted.isZero()
        || granted.equals(warnedGrant.getAndSet(granted))) {
      return;
    }
    log.warn(
        "zookeeper.session.timeout.ms: asked for {} ms, granted {} ms",
        asked.toMillis(),
        granted.toMillis());
    if (granted.compareTo(asked) > 0) {
      warnOfShortTries(granted);
    }
  }

  @Override
  public String name() {
    return "zk";
  }

  /**
   * Connects, and waits at most the connection timeout for the registration; a strict one two
   * session timeouts longer.
   *
   * @throws IllegalStateException also when another ZooKeeper session has registered this name
   *     (profiles of 0.8 wait for it to go, in the background after the connection timeout; a
   *     strict one waits one and a half session timeouts, in case it is a dead one's), or the
   *     chroot does not exist
   */
  @Override
  public ZkMember join(MemberConfig member, OwnershipListener listener) {
    demandOpen();
    demandGiven(member);
    ZkMember joined = newMember(member, listener);
    members.removeIf(ZkMember::isGone);
    members.add(joined);
    try {
      joined.start(config.registrationLimit());
    } catch (RegistryException e) {
      members.remove(joined);
      throw new UncheckedIOException(e.getMessage(), new IOException(e.getMessage(), e));
    } catch (IllegalStateException e) {
      members.remove(joined);
      throw e;
    }
    warnOfGrant(joined.grantedSession());
    if (closed) {
      joined.close();
      demandOpen();
    }
    return joined;
  }

  /** Of given topics there are no others, and no later ones. */
  private void demandGiven(MemberConfig member) {
    if (!config.givenPartitions().isEmpty()
        && member.topics() instanceof Subscription subscription
        && !config.givenPartitions().keySet().containsAll(subscription.streams().keySet())) {
      throw new IllegalArgumentException(
          "topics: "
              + subscription.streams().keySet()
              + " (expected: of those with given partitions, "
              + config.givenPartitions().keySet()
              + ")");
    }
  }

  private ZkMember newMember(MemberConfig member, OwnershipListener listener) {
    MemberId self = new MemberId(member.group() + "_" + member.name());
    Witness witness = new Witness(member.name(), observer, ticker);
    boolean given = !config.givenPartitions().isEmpty();
    return new ZkMember(
        member,
        new ConsumerSettings(
            self,
            new RebalancePlanner(config.assignor()),
            config.rebalanceMaxRetries(),
            config.rebalanceBackoff(),
            config.sessionTimeout(),
            member.topics() instanceof WildcardSubscription && !given,
            config.strict()),
        new WatchRules(
            config.profile().watchesBrokers() && !given,
            !given,
            config.profile().watchesTopicChildren(),
            config.strict(),
            config.excludedTopics(),
            config.watchCheck()),
        config.offsets(),
        listener,
        new CuratorGroupRegistry(
            config.connect(),
            config.sessionTimeout(),
            config.connectionTimeout(),
            member.group(),
            self,
            new RegistryRules(
                config.profile().release(),
                config.profile().watchesTopicChildren(),
                config.excludedTopics(),
                config.givenTopics(),
                config.strict()),
            config.security(),
            witness),
        witness);
  }

  private void demandOpen() {
    if (closed) {
      throw new IllegalStateException("zk engine: closed");
    }
  }

  /** Members are closed side by side: closing one ZooKeeper client takes 100 ms. */
  @Override
  public void close() {
    closed = true;
    List<ZkMember> open = new ArrayList<>(members);
    members.clear();
    ZkMember.closeAll(open);
  }
}
