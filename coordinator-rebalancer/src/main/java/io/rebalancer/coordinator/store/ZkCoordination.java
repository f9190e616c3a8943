package io.rebalancer.coordinator.store;

import io.rebalancer.coordinator.runtime.GroupStore;
import io.rebalancer.coordinator.runtime.Leadership;
import io.rebalancer.coordinator.runtime.StoredGroup;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Scheduler;
import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.curator.framework.state.ConnectionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything the coordinator has in ZooKeeper, over one session: slots, groups and topics, and what
 * becomes of them when the session falters, ends, or is replaced.
 */
public final class ZkCoordination implements AutoCloseable {

  /** Told of what happens, on the scheduler's thread or a thread of ZooKeeper's client. */
  public interface Listener {
    void topicsChanged(Set<String> topics);

    /** The slots are taken and these groups were found; the standing becomes SERVING next. */
    void restored(Map<GroupId, StoredGroup> groups);

    void standingChanged();
  }

  private static final Logger LOG = LoggerFactory.getLogger(ZkCoordination.class);
  private static final Duration RETAKE_DELAY = Duration.ofSeconds(1);

  private final ZkSession session;
  private final ZkLeadership leadership;
  private final FencedWriter writer;
  private final ZkGroupStore groups;
  private final ZkTopicSource topics;
  private final Scheduler scheduler;
  private final Duration renewal;
  private final Listener listener;
  private volatile boolean closed;
  private volatile long sessionId;

  /**
   * @param address under which clients reach this coordinator, for the registration
   * @param scheduler must run its tasks on a thread of its own: some of them wait for ZooKeeper
   */
  public ZkCoordination(
      String connect,
      Duration sessionTimeout,
      int nodeId,
      String address,
      RebalanceObserver observer,
      Ticker ticker,
      Scheduler scheduler,
      Listener listener) {
    this.scheduler = scheduler;
    this.listener = listener;
    renewal = sessionTimeout.dividedBy(4);
    session = new ZkSession(connect, sessionTimeout, observer, ticker);
    leadership = new ZkLeadership(session, nodeId, address);
    writer = new FencedWriter(session, leadership, scheduler, this::lost);
    groups = new ZkGroupStore(session, leadership, writer);
    topics = new ZkTopicSource(session, listener::topicsChanged);
  }

  public GroupStore groups() {
    return groups;
  }

  public Leadership leadership() {
    return leadership;
  }

  public TopicSource topics() {
    return topics;
  }

  /**
   * Connects, takes the slots, reads groups and topics; serves when it returns.
   *
   * @throws IOException if ZooKeeper does not answer within {@code limit}
   * @throws TakeoverException if another coordinator lives
   */
  public void start(Duration limit) throws Exception {
    if (!session.connect(limit)) {
      throw new IOException("no connection within " + limit.toMillis() + " ms");
    }
    sessionId = session.id();
    session.onState(this::onState);
    leadership.take();
    load();
    scheduler.schedule(renewal, this::renew);
  }

  private void load() throws Exception {
    writer.forgetAll();
    ZkLeadership.join(topics.watchAndRead());
    listener.restored(ZkLeadership.join(groups.loadAll()));
    leadership.serve();
    listener.standingChanged();
  }

  private void onState(ConnectionState state) {
    if (closed) {
      return;
    }
    switch (state) {
      case SUSPENDED, READ_ONLY -> {
        LOG.warn("ZooKeeper connection suspended: answering from the lease");
        leadership.connected(false);
        listener.standingChanged();
      }
      case LOST -> lost();
      case CONNECTED, RECONNECTED -> scheduler.schedule(Duration.ZERO, this::reconnected);
    }
  }

  private void lost() {
    if (leadership.resign()) {
      LOG.warn("ZooKeeper session or slots lost: resigned");
      listener.standingChanged();
      scheduler.schedule(RETAKE_DELAY, this::retake);
    }
  }

  private void reconnected() {
    if (closed) {
      return;
    }
    try {
      leadership.connected(true);
      long id = session.id();
      if (id == sessionId) {
        session.observeReconnected();
        ZkLeadership.join(topics.watchAndRead());
        ZkLeadership.join(session.read(leadership.registration()));
        listener.standingChanged();
      } else {
        sessionId = id;
        lost();
      }
    } catch (Exception e) {
      LOG.info("after a reconnect: {}", e.getMessage());
    }
  }

  /** With a new session, or after another coordinator has gone. */
  private void retake() {
    if (closed) {
      return;
    }
    try {
      sessionId = session.id();
      leadership.take();
      load();
    } catch (Exception e) {
      LOG.info("slots not taken yet: {}", e.getMessage());
      leadership.resign();
      scheduler.schedule(RETAKE_DELAY, this::retake);
    }
  }

  private void renew() {
    if (closed) {
      return;
    }
    session
        .read(leadership.registration())
        .whenComplete(
            (node, failure) -> {
              if (failure == null && leadership.hadLapsed()) {
                listener.standingChanged();
              }
            });
    scheduler.schedule(renewal, this::renew);
  }

  /** Gives the slots back and ends the session. Idempotent. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      leadership.release();
    } catch (Exception e) {
      LOG.info("slots not given back, they are free when the session ends: {}", e.getMessage());
    }
    session.close();
  }
}
