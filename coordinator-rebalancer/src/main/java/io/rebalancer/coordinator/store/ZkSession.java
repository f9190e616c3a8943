package io.rebalancer.coordinator.store;

import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;

/**
 * The coordinator's one ZooKeeper session. Every request goes through here and is observed once, so
 * that counts can be held against the server's. Nothing is retried here.
 */
final class ZkSession implements AutoCloseable {

  /** What a znode held when it was read. */
  record Node(byte[] data, Stat stat) {}

  private final String connect;
  private final CuratorFramework client;
  private final RebalanceObserver observer;
  private final Ticker ticker;
  private final AtomicLong provenNanos;
  private volatile long leaseNanos;

  ZkSession(String connect, Duration sessionTimeout, RebalanceObserver observer, Ticker ticker) {
    this.connect = connect;
    this.observer = observer;
    this.ticker = ticker;
    leaseNanos = sessionTimeout.toNanos() * 2 / 3;
    provenNanos = new AtomicLong(ticker.nanos());
    client =
        CuratorFrameworkFactory.builder()
            .connectString(connect)
            .sessionTimeoutMs((int) sessionTimeout.toMillis())
            .connectionTimeoutMs((int) sessionTimeout.toMillis())
            // Requests that must survive a lost connection are repeated by who knows their meaning.
            .retryPolicy(new RetryNTimes(0, 0))
            // Curator would watch /zookeeper/config through this session.
            .ensembleTracker(false)
            .build();
  }

  /** Returns whether a connection came about within {@code limit}. */
  boolean connect(Duration limit) throws InterruptedException {
    client.start();
    return client.blockUntilConnected((int) limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** ": " and why, as far as can be seen; tries each server once more, for {@code limit} in all. */
  String whyUnreachable(Duration limit) {
    return ServerProbe.whyUnreachable(connect, limit).map(why -> ": " + why).orElse("");
  }

  /** Called on Curator's thread. */
  void onState(Consumer<ConnectionState> listener) {
    client.getConnectionStateListenable().addListener((framework, state) -> listener.accept(state));
  }

  long id() throws Exception {
    return client.getZookeeperClient().getZooKeeper().getSessionId();
  }

  /** What ZooKeeper granted, which need not be what was asked for; the lease follows it. */
  Duration adoptTimeout() throws Exception {
    Duration granted =
        Duration.ofMillis(client.getZookeeperClient().getZooKeeper().getSessionTimeout());
    leaseNanos = granted.toNanos() * 2 / 3;
    return granted;
  }

  /**
   * Whether 2/3 of the session timeout went since the sending of the last request that was
   * answered. Until then nobody else can have this session's place; a process that was stopped
   * finds out here before it answers anybody.
   */
  boolean isLeaseOver() {
    return ticker.nanos() - provenNanos.get() > leaseNanos;
  }

  void observeReconnected() {
    observer.on(new Observation.Reconnected(ticker.nanos(), Observation.COORDINATOR));
  }

  private void count(Kind kind) {
    observer.on(new Observation.Requested(ticker.nanos(), Observation.COORDINATOR, kind));
  }

  CuratorFramework ops() {
    return client;
  }

  /** Fails with {@link KeeperException}. */
  CompletableFuture<Node> read(String path) {
    CompletableFuture<Node> result = new CompletableFuture<>();
    BackgroundCallback callback =
        (framework, event) -> {
          if (event.getResultCode() == Code.OK.intValue()) {
            byte[] data = event.getData();
            result.complete(new Node(data == null ? new byte[0] : data, event.getStat()));
          } else {
            fail(result, event.getResultCode(), path);
          }
        };
    return background(
        result, Kind.READ, () -> client.getData().inBackground(callback).forPath(path));
  }

  /** Fails with {@link KeeperException}. */
  CompletableFuture<List<String>> children(String path) {
    CompletableFuture<List<String>> result = new CompletableFuture<>();
    BackgroundCallback callback =
        (framework, event) -> {
          if (event.getResultCode() == Code.OK.intValue()) {
            result.complete(event.getChildren());
          } else {
            fail(result, event.getResultCode(), path);
          }
        };
    return background(
        result, Kind.READ, () -> client.getChildren().inBackground(callback).forPath(path));
  }

  /** All or nothing; fails with {@link KeeperException}. */
  CompletableFuture<List<CuratorTransactionResult>> multi(List<CuratorOp> operations) {
    CompletableFuture<List<CuratorTransactionResult>> result = new CompletableFuture<>();
    BackgroundCallback callback =
        (framework, event) -> {
          if (event.getResultCode() == Code.OK.intValue()) {
            result.complete(event.getOpResults());
          } else {
            fail(result, event.getResultCode(), "multi of " + operations.size());
          }
        };
    return background(
        result,
        Kind.WRITE,
        () -> client.transaction().inBackground(callback).forOperations(operations));
  }

  /** Every delivery is observed once, before {@code watcher} sees it. */
  CompletableFuture<Void> watchRecursively(String path, Watcher watcher) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    BackgroundCallback callback =
        (framework, event) -> {
          if (event.getResultCode() == Code.OK.intValue()) {
            result.complete(null);
          } else {
            fail(result, event.getResultCode(), path);
          }
        };
    return background(
        result,
        Kind.READ,
        () ->
            client
                .watchers()
                .add()
                .withMode(AddWatchMode.PERSISTENT_RECURSIVE)
                .inBackground(callback)
                .usingWatcher(watcher)
                .forPath(path));
  }

  /** To be the first thing every watcher does. */
  void observeDelivery(WatchedEvent event) {
    if (event.getType() != Watcher.Event.EventType.None) {
      observer.on(
          new Observation.WatchDelivered(
              ticker.nanos(), Observation.COORDINATOR, event.getType().name(), event.getPath()));
    }
  }

  private interface Request {
    void send() throws Exception;
  }

  private <T> CompletableFuture<T> background(
      CompletableFuture<T> result, Kind kind, Request request) {
    count(kind);
    long sentNanos = ticker.nanos();
    result.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            provenNanos.accumulateAndGet(sentNanos, (a, b) -> a - b > 0 ? a : b);
          }
        });
    try {
      request.send();
    } catch (Exception e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  private static void fail(CompletableFuture<?> result, int code, String path) {
    result.completeExceptionally(KeeperException.create(Code.get(code), path));
  }

  /** Ends the session; its ephemeral nodes go at once. */
  @Override
  public void close() {
    client.close();
  }
}
