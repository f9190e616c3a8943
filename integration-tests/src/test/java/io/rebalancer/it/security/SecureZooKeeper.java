package io.rebalancer.it.security;

import io.rebalancer.bridge.runtime.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.metrics.impl.DefaultMetricsProvider;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A ZooKeeper with a plain port, a TLS port that demands certificates, and SASL logins by password,
 * in a JVM of its own: its settings are system properties, which must not be the client's.
 */
final class SecureZooKeeper implements AutoCloseable {

  static final String USER = "member";
  static final String PASSWORD = "member-secret";

  private static final int TICK_MS = 500;

  private final ChildJvm jvm;
  private final int plainPort;
  private final int tlsPort;

  private SecureZooKeeper(ChildJvm jvm) {
    this.jvm = jvm;
    this.plainPort = Integer.parseInt(jvm.readLine());
    this.tlsPort = Integer.parseInt(jvm.readLine());
  }

  static SecureZooKeeper start(Path directory, KeyStores stores) throws IOException {
    Path jaas = directory.resolve("server.jaas");
    Files.writeString(
        jaas,
        """
        Server {
          org.apache.zookeeper.server.auth.DigestLoginModule required
          user_%s="%s";
        };
        """
            .formatted(USER, PASSWORD));
    List<String> options =
        List.of(
            "-Xmx256m",
            "-Djava.security.auth.login.config=" + jaas,
            "-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
            "-Dzookeeper.authProvider.1="
                + "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "-Dzookeeper.authProvider.x509="
                + "org.apache.zookeeper.server.auth.X509AuthenticationProvider",
            "-Dzookeeper.ssl.keyStore.location=" + stores.server(),
            "-Dzookeeper.ssl.keyStore.password=" + KeyStores.PASSWORD,
            "-Dzookeeper.ssl.trustStore.location=" + stores.trustOfServer(),
            "-Dzookeeper.ssl.trustStore.password=" + KeyStores.PASSWORD);
    Path data = Files.createDirectory(directory.resolve("data"));
    return new SecureZooKeeper(
        ChildJvm.start(options, SecureZooKeeper.class.getName(), List.of(data.toString())));
  }

  String plain() {
    return "127.0.0.1:" + plainPort;
  }

  String tls() {
    return "127.0.0.1:" + tlsPort;
  }

  @Override
  public void close() {
    jvm.close();
  }

  /** The one argument is the data directory. Writes both ports; ends when its input ends. */
  public static void main(String[] args) throws Exception {
    DefaultMetricsProvider metrics = new DefaultMetricsProvider();
    metrics.start();
    ServerMetrics.metricsProviderInitialized(metrics);
    Path data = Path.of(args[0]);
    ZooKeeperServer server = new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MS);
    ServerCnxnFactory plain = listen(false);
    plain.startup(server);
    ServerCnxnFactory tls = listen(true);
    tls.startup(server, false);
    System.out.println(plain.getLocalPort());
    System.out.println(tls.getLocalPort());
    while (System.in.read() >= 0) {
      // Only the end of the input matters.
    }
    Runtime.getRuntime().halt(0);
  }

  private static ServerCnxnFactory listen(boolean secure) throws IOException {
    ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0, -1, secure);
    return connections;
  }
}
