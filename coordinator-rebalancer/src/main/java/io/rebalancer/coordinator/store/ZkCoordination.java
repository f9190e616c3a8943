package io.rebalancer.coordinator.store;

import io.rebalancer.coordinator.runtime.GroupStore;
import io.rebalancer.coordinator.runtime.Leadership;
import io.rebalancer.coordinator.runtime.Standing;
import io.rebalancer.coordinator.runtime.StoredGroup;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Scheduler;
import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
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
  private static final int RENEWALS_PER_SESSION = 4;
  private static final Duration RETAKE_DELAY = Duration.ofSeconds(1);

  private final ZkSession session;
  private final ZkLeadership leadership;
  private final FencedWriter writer;
  private final ZkGroupStore groups;
  private final ZkTopicSource topics;
  private final Scheduler scheduler;
  private volatile Duration renewal;
  private final Listener listener;
  private volatile boolean closing;
  private boolean closed;

  /** Why the slots were not taken, as it was last logged. */
  private String waitsFor = "";

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
    renewal = sessionTimeout.dividedBy(RENEWALS_PER_SESSION);
    session = new ZkSession(connect, sessionTimeout, observer, ticker);
    leadership = new ZkLeadership(session, nodeId, address);
    writer = new FencedWriter(session, leadership, scheduler, this::lost);
    groups = new ZkGroupStore(session, leadership, writer, Clock.systemUTC());
    topics = new ZkTopicSource(session, listener::topicsChanged);
  }

  public GroupStore groups() {
    return groups;
  }

  public Leadership leadership() {
    return leadership;
  }

  /** Where this coordinator is a standby: who it stands by for, if that is known. */
  public Optional<Holder> holder() {
    return leadership.holder();
  }

  public TopicSource topics() {
    return topics;
  }

  /**
   * Connects, takes the slots, reads groups and topics. While another coordinator lives it waits as
   * a standby, and serves once that is gone, as it does after it has lost the slots.
   *
   * @param limit how long to wait for a connection
   * @param maxSession no longer session may be granted, or members would outlive their coordinator
   * @return whether it serves; the listener is told when it does
   * @throws IOException if ZooKeeper does not answer in time, or grants a longer session
   */
  public boolean start(Duration limit, Duration maxSession) throws Exception {
    if (!session.connect(limit)) {
      throw new IOException(
          "no connection within " + limit.toMillis() + " ms" + session.whyUnreachable(limit));
    }
    session.onState(this::onState);
    adopt();
    if (renewal.multipliedBy(RENEWALS_PER_SESSION).compareTo(maxSession) > 0) {
      throw new IOException(
          "its shortest session is "
              + renewal.multipliedBy(RENEWALS_PER_SESSION).toMillis()
              + " ms, too long for group.min.session.timeout.ms (expected: <= "
              + maxSession.toMillis()
              + ")");
    }
    boolean taken = takeOrWait();
    scheduler.schedule(renewal, this::renew);
    return taken;
  }

  private boolean takeOrWait() throws Exception {
    try {
      leadership.take();
    } catch (TakeoverException e) {
      sayOnce("waiting as a standby", e);
      scheduler.schedule(RETAKE_DELAY, this::retake);
      return false;
    }
    load();
    return true;
  }

  /** The same reason again is not worth a line each second. */
  private void sayOnce(String what, Exception why) {
    String reason = String.valueOf(why.getMessage());
    if (!reason.equals(waitsFor)) {
      waitsFor = reason;
      LOG.info("{}: {}", what, reason);
    }
  }

  private void adopt() throws Exception {
    sessionId = session.id();
    renewal = session.adoptTimeout().dividedBy(RENEWALS_PER_SESSION);
  }

  private void load() throws Exception {
    waitsFor = "";
    writer.forgetAll();
    ZkLeadership.join(topics.watchAndRead());
    listener.restored(ZkLeadership.join(groups.loadAll()));
    leadership.serve();
    listener.standingChanged();
  }

  private void onState(ConnectionState state) {
    if (closing) {
      return;
    }
    switch (state) {
      case SUSPENDED, READ_ONLY -> {
        LOG.warn("ZooKeeper connection suspended: answering from the lease");
        leadership.connected(false);
        listener.standingChanged();
      }
      case LOST -> lost();
      case RECONNECTED -> scheduler.schedule(Duration.ZERO, this::reconnected);
      case CONNECTED -> {} // The first connection, which start() waited for.
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
    if (closing) {
      return;
    }
    leadership.connected(true);
    if (leadership.standing() == Standing.RESIGNED) {
      return; // Everything is read again when the slots are taken.
    }
    try {
      long id = session.id();
      if (id == sessionId) {
        session.observeReconnected();
        ZkLeadership.join(topics.watchAndRead());
        checkRegistration(ZkLeadership.join(session.read(leadership.registration())));
        listener.standingChanged();
      } else {
        sessionId = id;
        lost();
      }
    } catch (KeeperException.NoNodeException | KeeperException.SessionExpiredException e) {
      lost();
    } catch (Exception e) {
      LOG.info("after a reconnect: {}", e.getMessage());
    }
  }

  /** Where it was removed by hand, another may have taken the slots. */
  private void checkRegistration(ZkSession.Node node) {
    if (node.stat().getEphemeralOwner() != sessionId) {
      lost();
    }
  }

  /** With a new session, or after another coordinator has gone. */
  private void retake() {
    if (closing || leadership.standing() != Standing.RESIGNED) {
      return;
    }
    try {
      adopt();
      takeOrWait();
    } catch (Exception e) {
      sayOnce("slots not taken yet", e);
      leadership.resign();
      scheduler.schedule(RETAKE_DELAY, this::retake);
    }
  }

  private void renew() {
    if (closing) {
      return;
    }
    session
        .read(leadership.registration())
        .whenComplete(
            (node, failure) -> {
              if (failure instanceof KeeperException.NoNodeException) {
                lost();
              } else if (failure == null) {
                checkRegistration(node);
                if (leadership.hadLapsed()) {
                  listener.standingChanged();
                }
              }
            });
    scheduler.schedule(renewal, this::renew);
  }

  /** The standing becomes RESIGNED, and nothing is taken again. */
  public void resign() {
    closing = true;
    leadership.resign();
    listener.standingChanged();
  }

  /** Gives the slots back and ends the session. Idempotent. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing = true;
    try {
      leadership.release();
    } catch (Exception e) {
      LOG.info("slots not given back, they are free when the session ends: {}", e.getMessage());
    }
    session.close();
  }
}
