package io.rebalancer.zk.registry;

import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.runtime.Witness;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Follows one consumer's ZooKeeper sessions from beneath Curator, which makes its handles here.
 *
 * <p>Curator is not told of disconnections: it would answer them with a sync, and after a session
 * timeout by declaring the session over (a timer its builder cannot switch off). The original
 * (zkclient) only waits, and learns of an expiry when it has reconnected.
 */
final class SessionWatch implements ZookeeperFactory {

  private final Witness witness;
  private final Runnable onRenewed;

  private @Nullable ZooKeeper handle;
  private int handles;
  private int connections;
  private boolean connected;
  private boolean everConnected;
  private boolean waiting = true;
  private boolean crashed;

  SessionWatch(Witness witness, Runnable onRenewed) {
    this.witness = witness;
    this.onRenewed = onRenewed;
  }

  @Override
  public synchronized ZooKeeper newZooKeeper(
      String connectString, int sessionTimeoutMs, Watcher curator, boolean canBeReadOnly)
      throws Exception {
    if (crashed) {
      throw new IllegalStateException(witness.member() + ": crashed, no further session");
    }
    int number = ++handles;
    connected = false;
    everConnected = false;
    ZooKeeper made =
        new ZooKeeper(
            connectString,
            sessionTimeoutMs,
            event -> onConnectionEvent(number, event, curator),
            canBeReadOnly);
    handle = made;
    return made;
  }

  private void onConnectionEvent(int number, WatchedEvent event, Watcher curator) {
    if (event.getState() != Watcher.Event.KeeperState.Disconnected && !isCrashed()) {
      curator.process(event);
    }
    switch (event.getState()) {
      case SyncConnected -> onConnected(number);
      case Disconnected, Expired, Closed -> onDisconnected(number);
      default -> {
        // Authentication and read-only mode are not used.
      }
    }
  }

  private void onConnected(int number) {
    boolean again;
    synchronized (this) {
      if (number != handles) {
        return;
      }
      again = everConnected;
      connected = true;
      connections++;
      everConnected = true;
      notifyAll();
    }
    if (again) {
      witness.reconnected();
    } else if (number > 1) {
      onRenewed.run();
    }
  }

  private synchronized void onDisconnected(int number) {
    if (number == handles) {
      connected = false;
      notifyAll();
    }
  }

  private synchronized boolean isCrashed() {
    return crashed;
  }

  /**
   * Returns the number of the connection there is; throws {@link RegistryException} when there will
   * be none any more.
   */
  synchronized int awaitConnected() throws InterruptedException {
    while (!crashed && !connected && waiting) {
      wait();
    }
    if (crashed || !connected) {
      throw new RegistryException(witness.member() + ": no ZooKeeper connection", null);
    }
    return connections;
  }

  /** A request on that connection was lost; the event that says so may be still on its way. */
  synchronized void onBroken(int connection) {
    if (connection == connections) {
      connected = false;
    }
  }

  synchronized void stopWaiting() {
    waiting = false;
    notifyAll();
  }

  synchronized long sessionId() {
    return handle == null ? 0 : handle.getSessionId();
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
