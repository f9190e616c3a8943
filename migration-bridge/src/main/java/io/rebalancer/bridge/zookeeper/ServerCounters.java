package io.rebalancer.bridge.zookeeper;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rebalancer.bridge.runtime.EnvironmentException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;

/**
 * What an ensemble's servers have counted up to now (four-letter word {@code mntr}), added up over
 * the servers. The counters only rise: what happened between two readings is their difference.
 *
 * <p>{@code sum_node_*_watch_count} is the number of events fired to connections;
 * docs/experiments.md says where that differs from events received, and the comparison allows for
 * exactly those cases.
 *
 * @param watchBytes bytes of notifications sent, each 28 bytes and the path, seen from the root
 * @param reads read requests, and pings
 * @param writes write requests: failed ones too, a multi as one, opening and closing a session each
 *     as one
 * @param watches watches held now ({@code zk_watch_count}: data, child and recursive ones)
 * @param connections client connections now, with the one that asked
 * @param bytesReceived bytes of requests
 * @param bytesSent bytes of answers and notifications
 */
public record ServerCounters(
    long created,
    long deleted,
    long dataChanged,
    long childrenChanged,
    long watchBytes,
    long reads,
    long writes,
    long watches,
    long connections,
    long bytesReceived,
    long bytesSent) {

  private static final int TIMEOUT_MS = 5_000;

  /**
   * Asks every server.
   *
   * @throws EnvironmentException if one does not answer {@code mntr} (it has to be in its {@code
   *     4lw.commands.whitelist})
   */
  public static ServerCounters read(ConnectString ensemble) {
    Map<String, Long> sums = new HashMap<>();
    for (InetSocketAddress server : ensemble.addresses()) {
      String answer = ask(server);
      if (!answer.contains("zk_watch_count")) {
        throw new EnvironmentException(
            "ZooKeeper "
                + server.getHostString()
                + ":"
                + server.getPort()
                + " does not answer mntr: add it to 4lw.commands.whitelist");
      }
      answer.lines().forEach(line -> add(line, sums));
    }
    return new ServerCounters(
        of(sums, "zk_sum_node_created_watch_count"),
        of(sums, "zk_sum_node_deleted_watch_count"),
        of(sums, "zk_sum_node_changed_watch_count"),
        of(sums, "zk_sum_node_children_watch_count"),
        of(sums, "zk_watch_bytes"),
        of(sums, "zk_cnt_readlatency"),
        of(sums, "zk_cnt_updatelatency"),
        of(sums, "zk_watch_count"),
        of(sums, "zk_num_alive_connections"),
        of(sums, "zk_bytes_received_count"),
        of(sums, "zk_response_bytes") + of(sums, "zk_watch_bytes"));
  }

  private static void add(String line, Map<String, Long> sums) {
    int tab = line.indexOf('\t');
    if (tab > 0) {
      try {
        sums.merge(
            line.substring(0, tab),
            Math.round(Double.parseDouble(line.substring(tab + 1))),
            Long::sum);
      } catch (NumberFormatException e) {
        // Versions and states are texts among the numbers.
      }
    }
  }

  private static long of(Map<String, Long> sums, String key) {
    Long value = sums.get(key);
    if (value == null) {
      throw new EnvironmentException("ZooKeeper's answer to mntr has no " + key);
    }
    return value;
  }

  private static String ask(InetSocketAddress server) {
    try (Socket socket = new Socket()) {
      socket.connect(server, TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      socket.getOutputStream().write("mntr".getBytes(US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    } catch (IOException e) {
      throw new EnvironmentException(
          "ZooKeeper " + server.getHostString() + ":" + server.getPort() + ": " + e.getMessage(),
          e);
    }
  }

  /** Events fired, of all four types. */
  public long events() {
    return created + deleted + dataChanged + childrenChanged;
  }

  /** What was counted since {@code earlier}; watches and connections are those of now. */
  public ServerCounters since(ServerCounters earlier) {
    return new ServerCounters(
        created - earlier.created,
        deleted - earlier.deleted,
        dataChanged - earlier.dataChanged,
        childrenChanged - earlier.childrenChanged,
        watchBytes - earlier.watchBytes,
        reads - earlier.reads,
        writes - earlier.writes,
        watches,
        connections,
        bytesReceived - earlier.bytesReceived,
        bytesSent - earlier.bytesSent);
  }
}
