package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of groups whose partitions a coordinator shares out, reached over Kafka's protocol. Any
 * number of members runs on {@value #IO_THREADS} threads for I/O and up to {@value
 * #LISTENER_THREADS} for listeners; each has one connection to its coordinator, and a second one
 * while a Join keeps it waiting.
 */
@SuppressWarnings({
  "FutureReturnValueIgnored", // Nobody waits for these.
  "deprecation" // The unordered executor: no Netty handler runs on it, which is what it is bad at.
})
public final class CoordinatorRebalanceEngine implements RebalanceEngine {

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorRebalanceEngine.class);

  static final int IO_THREADS = 2;
  static final int LISTENER_THREADS = 4;

  private final CoordinatorClientConfig config;
  private final RebalanceObserver observer;
  private final MemberMeter meter;
  private final Ticker ticker;
  private final EventLoopGroup ioThreads;
  private final EventExecutorGroup listenerThreads;
  private final Set<CoordinatedMember> members = ConcurrentHashMap.newKeySet();
  private boolean closed;

  /**
   * Nothing is connected before the first member joins.
   *
   * @param observer called on I/O threads
   */
  public CoordinatorRebalanceEngine(CoordinatorClientConfig config, RebalanceObserver observer) {
    this(config, observer, MemberMeter.NONE);
  }

  /** {@code meter} is called on I/O threads, and on the listeners'. */
  public CoordinatorRebalanceEngine(
      CoordinatorClientConfig config, RebalanceObserver observer, MemberMeter meter) {
    this(config, observer, meter, Ticker.system());
  }

  private CoordinatorRebalanceEngine(
      CoordinatorClientConfig config,
      RebalanceObserver observer,
      MemberMeter meter,
      Ticker ticker) {
    this.config = requireNonNull(config, "config");
    this.observer = requireNonNull(observer, "observer");
    this.meter = requireNonNull(meter, "meter");
    this.ticker = requireNonNull(ticker, "ticker");
    this.ioThreads =
        new MultiThreadIoEventLoopGroup(
            IO_THREADS,
            new DefaultThreadFactory("rebalancer-member-io", true),
            NioIoHandler.newFactory());
    this.listenerThreads =
        new UnorderedThreadPoolEventExecutor(
            LISTENER_THREADS, new DefaultThreadFactory("rebalancer-member-listener", true));
    config.warnings().forEach(LOG::warn);
  }

  @Override
  public String name() {
    return "coordinator";
  }

  /**
   * Returns once a bootstrap server has accepted a connection. Throws {@link UncheckedIOException}
   * that names each of them and its reason when none does.
   */
  @Override
  public CoordinatedMember join(MemberConfig member, OwnershipListener listener) {
    CoordinatedMember joining = create(member, listener);
    try {
      joining.start();
    } catch (CompletionException e) {
      joining.crash();
      String reason = Causes.message(e);
      throw new UncheckedIOException(reason, new IOException(reason, Causes.of(e)));
    }
    return joining;
  }

  private synchronized CoordinatedMember create(MemberConfig member, OwnershipListener listener) {
    if (closed) {
      throw new IllegalStateException("engine: closed (expected: open)");
    }
    if (config.groupInstanceId().isPresent()) {
      for (CoordinatedMember other : members) {
        if (other.group().equals(member.group())) {
          throw new IllegalStateException(
              "group.instance.id: %s has a member in group %s already (expected: one engine for each static member)"
                  .formatted(config.groupInstanceId().get(), member.group()));
        }
      }
    }
    ListenerCalls calls =
        new ListenerCalls(
            member.name(), new TimedListener(listener, meter, ticker), listenerThreads);
    MemberLoop loop =
        new MemberLoop(config, member, ioThreads.next(), calls, observer, meter, ticker);
    CoordinatedMember created = new CoordinatedMember(loop, calls, config);
    members.add(created);
    created.ended().thenRun(() -> members.remove(created));
    return created;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    List<CoordinatedMember> open = List.copyOf(members);
    open.forEach(CoordinatedMember::beginClose);
    open.forEach(CoordinatedMember::awaitEnd);
    listenerThreads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    ioThreads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
