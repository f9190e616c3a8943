package io.rebalancer.zk.registry;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.rebalancer.core.time.Ticker;
import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.runtime.SessionLapsedException;
import io.rebalancer.zk.runtime.Witness;
import io.rebalancer.zk.security.SecureHandles;
import java.time.Duration;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one consumer's ZooKeeper sessions from beneath Curator, which makes its handles here.
 *
 * <p>Curator is not told of disconnections: it would answer them with a sync, and after a session
 * timeout by declaring the session over (a timer its builder cannot switch off). The original
 * (zkclient) only waits, and learns of an expiry when it has reconnected.
 *
 * <p>Nor does ZooKeeper's client of today decide that a session is over, which it does after four
 * thirds of one without an answer (ZOOKEEPER-4508; the clients of the original's time did not): the
 * session is asked for again, and only the server's refusal ends it.
 *
 * <p>A strict consumer is told when its session may have ended: ZooKeeper's client gives up a
 * silent connection after two thirds of a session, so that a quarter of one later less than a whole
 * one has gone since the last answer.
 *
 * <p>An event of a former handle is told by the handle's number, whenever it comes.
 */
final class SessionWatch implements ZookeeperFactory {

  private static final Logger log = LoggerFactory.getLogger(SessionWatch.class);

  /** After this time without a connection the handle itself is asked. */
  private static final long PROBE_MS = 1_500;

  private final SecureHandles secure;

  /** The consumer's loop waits by the same. */
  private final Ticker clock = Ticker.system();

  private final Witness witness;
  private final boolean lapses;
  private final Listener listener;

  private @Nullable Thread told;
  private @Nullable ZooKeeper handle;
  private int made;
  private int connections;
  private boolean connected;
  private boolean everConnected;
  private boolean resuming;
  private long madeAtNanos;
  private boolean waiting = true;
  private boolean crashed;
  private boolean refused;
  private long brokenSinceNanos;
  private Lapse lapse = Lapse.NONE;
  private long lapsesAtNanos;

  /**
   * Whether the session may end unnoticed, and whether the consumer has been told that it may have.
   */
  private enum Lapse {
    NONE,
    AHEAD,
    TOLD
  }

  /** Called on ZooKeeper's own thread. */
  interface Listener {
    void onRenewed();

    /** The same session, with none of its watches. */
    void onResumed();

    void onDisconnected(long lapsesAtNanos);
  }

  /**
   * Makes one without a session.
   *
   * @param lapses whether the consumer wants to know when its session may have ended
   */
  SessionWatch(SecureHandles secure, Witness witness, boolean lapses, Listener listener) {
    this.secure = secure;
    this.witness = witness;
    this.lapses = lapses;
    this.listener = listener;
  }

  /** That thread's requests fail when the session may have ended, until that is taken. */
  synchronized void lapsesOn(Thread thread) {
    told = thread;
  }

  @Override
  public synchronized ZooKeeper newZooKeeper(
      String connectString, int sessionTimeoutMs, Watcher curator, boolean canBeReadOnly)
      throws Exception {
    if (crashed) {
      throw new IllegalStateException(witness.member() + ": crashed, no further session");
    }
    ZooKeeper previous = handle;
    boolean resumes = previous != null && mayLive(sessionTimeoutMs);
    int number = ++made;
    connected = false;
    everConnected = false;
    refused = false;
    resuming = resumes;
    madeAtNanos = clock.nanos();
    brokenSinceNanos = madeAtNanos;
    if (number > 1 && setLapse(madeAtNanos)) {
      listener.onDisconnected(madeAtNanos); // The old session may have ended.
    }
    Watcher watcher = event -> onConnectionEvent(number, event, curator);
    ZooKeeper next =
        previous != null && resumes
            ? secure.resume(connectString, sessionTimeoutMs, watcher, canBeReadOnly, previous)
            : secure.open(connectString, sessionTimeoutMs, watcher, canBeReadOnly);
    handle = next;
    return next;
  }

  /** The server's refusal to resume comes sooner than the client's own verdict could. */
  private boolean mayLive(int sessionTimeoutMs) {
    return everConnected
        || (resuming && clock.nanos() - madeAtNanos > MILLISECONDS.toNanos(sessionTimeoutMs));
  }

  void onConnectionEvent(int number, WatchedEvent event, Watcher curator) {
    if (event.getState() == null) {
      return; // ZooKeeper 3.9 says so of a SASL client that it could not make; requests fail then.
    }
    if (!isCurrent(number)) {
      return;
    }
    if (event.getState() != Watcher.Event.KeeperState.Disconnected && !isCrashed()) {
      curator.process(event);
    }
    switch (event.getState()) {
      case SyncConnected -> onConnected(number);
      case Disconnected, Expired, Closed -> onDisconnected(number);
      case AuthFailed -> onRefused(number);
      default -> {
        // A login that went well needs nothing, and read-only mode is not used.
      }
    }
  }

  private void onConnected(int number) {
    boolean again;
    boolean resumed;
    synchronized (this) {
      if (number != made) {
        return;
      }
      again = everConnected;
      resumed = resuming;
      connected = true;
      lapse = Lapse.NONE;
      connections++;
      everConnected = true;
      notifyAll();
    }
    if (again || resumed || number > 1) {
      log.warn(
          "{}: connected to ZooKeeper again, {} session 0x{}",
          witness.member(),
          again || resumed ? "same" : "the former has expired, now",
          Long.toHexString(sessionId()));
    }
    if (again) {
      witness.reconnected();
    } else if (resumed) {
      witness.reconnected();
      listener.onResumed();
    } else if (number > 1) {
      listener.onRenewed();
    }
  }

  /** As zkclient: the login that was refused is not tried again. */
  private synchronized void onRefused(int number) {
    if (number == made) {
      refused = true;
      notifyAll();
    }
  }

  private void onDisconnected(int number) {
    long at;
    synchronized (this) {
      if (number != made) {
        return;
      }
      breakConnection();
      notifyAll();
      at = clock.nanos() + untilLapse();
      if (!everConnected || !setLapse(at)) {
        return;
      }
    }
    listener.onDisconnected(at);
  }

  private void breakConnection() {
    if (connected) {
      log.warn(
          "{}: no connection to ZooKeeper; session 0x{} may end",
          witness.member(),
          Long.toHexString(sessionId()));
      connected = false;
      brokenSinceNanos = clock.nanos();
    }
  }

  private long untilLapse() {
    return handle == null ? 0 : MILLISECONDS.toNanos(handle.getSessionTimeout()) / 4;
  }

  /** Whether that is news. */
  private boolean setLapse(long atNanos) {
    if (!lapses || lapse == Lapse.TOLD || (lapse == Lapse.AHEAD && atNanos - lapsesAtNanos >= 0)) {
      return false;
    }
    lapse = Lapse.AHEAD;
    lapsesAtNanos = atNanos;
    return true;
  }

  /** True once, when the session may have ended since the connection was lost. */
  synchronized boolean takeLapse() {
    if (!hasLapsed()) {
      return false;
    }
    lapse = Lapse.TOLD;
    return true;
  }

  private boolean hasLapsed() {
    return lapse == Lapse.AHEAD && !connected && clock.nanos() - lapsesAtNanos >= 0;
  }

  private synchronized boolean isCurrent(int number) {
    return number == made;
  }

  private synchronized boolean isCrashed() {
    return crashed;
  }

  /**
   * Returns the number of the connection there is; throws {@link RegistryException} when there will
   * be none any more, {@link SessionLapsedException} on the thread that is to be told of it.
   */
  synchronized int awaitConnected() throws InterruptedException {
    while (!crashed && !connected && waiting && !refused) {
      boolean lapsesHere = Thread.currentThread() == told && lapse == Lapse.AHEAD;
      if (lapsesHere && hasLapsed()) {
        throw new SessionLapsedException(
            witness.member() + ": no ZooKeeper connection; its session may have ended");
      }
      wait(untilLookMs(lapsesHere));
      probe();
    }
    if (refused) {
      throw new RegistryException(
          witness.member() + ": ZooKeeper refused the login: " + secure.login(), null);
    }
    if (crashed || !connected) {
      throw new RegistryException(witness.member() + ": no ZooKeeper connection", null);
    }
    return connections;
  }

  private long untilLookMs(boolean lapsesHere) {
    long now = clock.nanos();
    long probe = brokenSinceNanos + MILLISECONDS.toNanos(PROBE_MS) - now;
    long next = lapsesHere ? Math.min(probe, lapsesAtNanos - now) : probe;
    return Math.max(1, NANOSECONDS.toMillis(next) + 1);
  }

  /**
   * An event that came late may have said that there is no connection. The handle says so itself
   * after at most a second; a request that believes it too early is repeated.
   */
  private void probe() {
    long now = clock.nanos();
    if (!connected && now - brokenSinceNanos >= MILLISECONDS.toNanos(PROBE_MS)) {
      connected = handle != null && handle.getState() == ZooKeeper.States.CONNECTED;
      brokenSinceNanos = now;
    }
  }

  /** A request on that connection was lost; the event that says so may be still on its way. */
  synchronized void onBroken(int connection) {
    if (connection == connections) {
      breakConnection();
    }
  }

  synchronized void stopWaiting() {
    waiting = false;
    notifyAll();
  }

  synchronized long sessionId() {
    return handle == null ? 0 : handle.getSessionId();
  }

  /** Zero before the first connection. */
  synchronized Duration granted() {
    return handle == null ? Duration.ZERO : Duration.ofMillis(handle.getSessionTimeout());
  }

  /** Ends the client's side only: no goodbye, and no new session after it. */
  synchronized void crash() {
    crashed = true;
    notifyAll();
    if (handle != null) {
      handle.getTestable().injectSessionExpiration();
    }
  }
}
