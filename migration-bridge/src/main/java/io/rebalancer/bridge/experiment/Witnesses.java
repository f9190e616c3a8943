package io.rebalancer.bridge.experiment;

import io.rebalancer.bridge.zookeeper.ServerCounters;
import io.rebalancer.core.observe.Observation.Reconnected;
import io.rebalancer.core.observe.Observation.WatchDelivered;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Three counts of one window's notifications, and whether they agree: what the clients received,
 * what the server fired, and what the model said before. The server's counting rules are allowed
 * for by rule, not by tolerance:
 *
 * <ul>
 *   <li>a node is deleted on which a session holds a data and a child watch: fired twice, sent
 *       once;
 *   <li>a client reconnects: what it missed is sent, and not counted.
 * </ul>
 *
 * The other known exceptions cannot occur here: no persistent watch that is not recursive, one
 * watcher per session and path, no ACL taken away. The bytes of notifications, which the server
 * counts when it sends them, must match what was received in every case. Pure.
 *
 * @param doublyWatched paths on which every session holds a data and a child watch
 * @param chrootLength characters that the server puts before the paths clients see
 */
record Witnesses(
    List<WatchDelivered> delivered,
    List<Reconnected> reconnected,
    Set<String> doublyWatched,
    int chrootLength,
    Optional<ServerCounters> server,
    OptionalLong model) {

  private static final int NOTIFICATION_BYTES_WITHOUT_PATH = 28;

  long client() {
    return delivered.size();
  }

  private long clientBytes() {
    return delivered.stream()
        .mapToLong(event -> NOTIFICATION_BYTES_WITHOUT_PATH + chrootLength + event.path().length())
        .sum();
  }

  private long firedButSuppressed() {
    return delivered.stream()
        .filter(event -> event.type().equals("NodeDeleted") && doublyWatched.contains(event.path()))
        .count();
  }

  /** What does not agree, a sentence each; empty if the witnesses agree. */
  List<String> disagreements() {
    List<String> found = new ArrayList<>();
    server.ifPresent(
        counters -> {
          long explained = client() + firedButSuppressed();
          long difference = counters.events() - explained;
          boolean uncountedOnReconnect = !reconnected.isEmpty() && difference < 0;
          if (difference != 0 && !uncountedOnReconnect) {
            found.add(
                ("the clients received %d notifications, the server fired %d (created %d, deleted"
                        + " %d, data %d, children %d), of which %d by rule are not sent: %d"
                        + " unexplained")
                    .formatted(
                        client(),
                        counters.events(),
                        counters.created(),
                        counters.deleted(),
                        counters.dataChanged(),
                        counters.childrenChanged(),
                        firedButSuppressed(),
                        difference));
          }
          if (counters.watchBytes() != clientBytes()) {
            found.add(
                ("the server sent %d bytes of notifications, the clients received %d: %d"
                        + " unexplained")
                    .formatted(
                        counters.watchBytes(),
                        clientBytes(),
                        counters.watchBytes() - clientBytes()));
          }
        });
    if (model.isPresent() && model.getAsLong() != client()) {
      found.add(
          "the clients received %d notifications, the model expects %d"
              .formatted(client(), model.getAsLong()));
    }
    return found;
  }
}
