package io.rebalancer.bridge.zookeeper;

import io.rebalancer.bridge.runtime.Signals;
import io.rebalancer.bridge.runtime.UnusableFileException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.metrics.MetricsProviderLifeCycleException;
import org.apache.zookeeper.metrics.impl.DefaultMetricsProvider;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Main class of the embedded server's JVM: a standalone ZooKeeper on a free port of 127.0.0.1. Its
 * first line on standard output is the port, or why there is none; it ends when standard input
 * ends, and then may remove its data, since its parent may have been killed. A JVM of its own,
 * because ZooKeeper's counters are one set per JVM.
 */
public final class EmbeddedZooKeeperServer {

  static final String REMOVE = "remove";
  static final String KEEP = "keep";

  private static final int TICK_MS = 500;
  private static final int MAX_SESSION_MS = 600_000;

  /** The default of 50 drops connections, a second each, when a group starts at once. */
  private static final int BACKLOG = 4096;

  private static final int NO_LIMIT_PER_CLIENT = 0;

  private EmbeddedZooKeeperServer() {}

  /** The data directory, and what becomes of it at the end: {@link #REMOVE} or {@link #KEEP}. */
  public static void main(String[] args) {
    int status = 1;
    try {
      serve(Path.of(args[0]), args[1].equals(REMOVE));
      status = 0;
    } catch (Throwable e) {
      System.out.println(reason(e));
    } finally {
      System.out.flush();
      // ZooKeeper's own threads are not all daemons, and SIGTERM is ignored.
      Runtime.getRuntime().halt(status);
    }
  }

  private static String reason(Throwable e) {
    String message =
        e instanceof IOException io ? UnusableFileException.reason(io) : String.valueOf(e);
    return "ZooKeeper: " + message.replaceAll("\\s*\\R\\s*", " ");
  }

  private static void serve(Path data, boolean remove)
      throws IOException, InterruptedException, MetricsProviderLifeCycleException {
    // A terminal sends Ctrl-C to every process of the command, a service manager SIGTERM; the
    // command still needs its server to end well.
    Signals.ignore("INT");
    Signals.ignore("TERM");
    DefaultMetricsProvider metrics = new DefaultMetricsProvider();
    metrics.start();
    ServerMetrics.metricsProviderInitialized(metrics);
    ZooKeeperServer server = new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MS);
    server.setMinSessionTimeout(2 * TICK_MS);
    server.setMaxSessionTimeout(MAX_SESSION_MS);
    NIOServerCnxnFactory connections = new NIOServerCnxnFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), NO_LIMIT_PER_CLIENT, BACKLOG);
    connections.startup(server);
    System.out.println(connections.getLocalPort());
    while (System.in.read() >= 0) {
      // Only the end of the input matters.
    }
    connections.shutdown();
    if (remove) {
      EmbeddedZooKeeper.delete(data);
    }
  }
}
