package io.rebalancer.it.peers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.ZooKeeper;

/**
 * Ends another client's session at the server, so that this client learns of its expiry when it
 * reconnects, and everybody else at once.
 */
final class StolenSession {

  /** {@code ZooKeeperServer.superSecret}: a session's password is derived from its id. */
  private static final long SECRET = 0xB3415C00L;

  private StolenSession() {}

  static void end(String connect, long sessionId) throws IOException, InterruptedException {
    byte[] password = new byte[16];
    new Random(sessionId ^ SECRET).nextBytes(password);
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper thief =
        new ZooKeeper(connect, 10_000, event -> connected.countDown(), sessionId, password);
    await().atMost(Duration.ofSeconds(20)).until(() -> connected.getCount() == 0);
    thief.close();
  }
}
