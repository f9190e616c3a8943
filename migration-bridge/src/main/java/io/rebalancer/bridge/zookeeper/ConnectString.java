package io.rebalancer.bridge.zookeeper;

import io.rebalancer.core.znode.EnsembleAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * An ensemble's address, {@code HOST:PORT[,HOST:PORT...][/chroot]}.
 *
 * @param servers {@code HOST:PORT} each
 * @param chroot empty, or a path that begins with '/' and does not end with it
 */
public record ConnectString(List<String> servers, String chroot) {

  private static final String EXPECTED = " (expected: HOST:PORT[,HOST:PORT...][/chroot])";

  public ConnectString {
    servers = List.copyOf(servers);
  }

  /** Throws {@link IllegalArgumentException} that shows the text. */
  public static ConnectString parse(String text) {
    if (EnsembleAddress.repeatsItsChroot(text)) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" (expected: the chroot once, at the end: \""
              + EnsembleAddress.withChrootAtTheEnd(text)
              + "\")");
    }
    int slash = text.indexOf('/');
    String hosts = slash < 0 ? text : text.substring(0, slash);
    String chroot = slash < 0 ? "" : text.substring(slash);
    List<String> servers = new ArrayList<>();
    for (String server : hosts.split(",", -1)) {
      if (!server.matches("([^:\\s]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}")
          || port(server) < 1
          || port(server) > 65535) {
        throw new IllegalArgumentException("\"" + text + "\"" + EXPECTED);
      }
      servers.add(server);
    }
    if (chroot.equals("/")) {
      chroot = "";
    }
    if (!chroot.isEmpty() && !chroot.matches("(/[^/\\s]+)+")) {
      throw new IllegalArgumentException("\"" + text + "\"" + EXPECTED);
    }
    return new ConnectString(servers, chroot);
  }

  private static int port(String server) {
    return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
  }

  public List<InetSocketAddress> addresses() {
    return servers.stream()
        .map(
            server ->
                new InetSocketAddress(server.substring(0, server.lastIndexOf(':')), port(server)))
        .toList();
  }

  /** The same ensemble, seen from its root. */
  public ConnectString root() {
    return new ConnectString(servers, "");
  }

  /** The same ensemble, seen from {@code path} below this chroot. */
  public ConnectString below(String path) {
    return new ConnectString(servers, chroot + path);
  }

  @Override
  public String toString() {
    return String.join(",", servers) + chroot;
  }
}
