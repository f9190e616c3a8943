package io.rebalancer.coordinator.store;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.client.ConnectStringParser;

/**
 * Connects to each ZooKeeper server once by itself, to say what ZooKeeper's client has only logged:
 * it tries again for ever, and tells nobody why.
 */
final class ServerProbe {

  private ServerProbe() {}

  /** Empty when every server takes a connection: then it is no ZooKeeper, or has no quorum. */
  static Optional<String> whyUnreachable(String connect, Duration limit) {
    List<InetSocketAddress> servers = new ConnectStringParser(connect).getServerAddresses();
    int eachMs = (int) Math.max(1, limit.toMillis() / servers.size());
    List<String> reasons = new ArrayList<>();
    for (InetSocketAddress server : servers) {
      String name = server.getHostString() + ":" + server.getPort();
      why(server, eachMs).ifPresent(reason -> reasons.add(name + ": " + reason));
    }
    return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
  }

  private static Optional<String> why(InetSocketAddress server, int limitMs) {
    InetSocketAddress address = new InetSocketAddress(server.getHostString(), server.getPort());
    if (address.isUnresolved()) {
      return Optional.of("the name does not resolve");
    }
    try (Socket socket = new Socket()) {
      socket.connect(address, limitMs);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
