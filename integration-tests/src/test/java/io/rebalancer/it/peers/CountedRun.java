package io.rebalancer.it.peers;

import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ServerCounters;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Takes a group through changes and counts each at the server, which nobody else uses. */
final class CountedRun {

  /** How long every counter must stand still for a change to be over. */
  private static final Duration QUIET = Duration.ofMillis(700);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How often a change is made again. */
  private static final int ROUNDS = 20;

  private final PeerStage stage;
  private final CountedGroup group;
  private final ConnectString server;

  CountedRun(PeerStage stage, CountedGroup group) {
    this.stage = stage;
    this.group = group;
    this.server = ConnectString.parse(stage.connect());
  }

  PeerStage stage() {
    return stage;
  }

  CountedGroup group() {
    return group;
  }

  void awaitQuiet() {
    awaitQuiet(ServerCounters.read(server), 0);
  }

  /**
   * Waits until the server has fired that many events since {@code before}, and nothing is asked of
   * it any more. (Asking it for its counters is no request.)
   */
  private ServerCounters awaitQuiet(ServerCounters before, int events) {
    AtomicReference<ServerCounters> last = new AtomicReference<>(before);
    await()
        .atMost(PATIENCE)
        .during(QUIET)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              ServerCounters now = ServerCounters.read(server);
              return isIdle(now.since(last.getAndSet(now))) && now.since(before).events() >= events;
            });
    return last.get();
  }

  private static boolean isIdle(ServerCounters since) {
    return since.reads() == 0 && since.writes() == 0 && since.events() == 0;
  }

  /** Counts one change, of which a quiet group hears by {@code events} or more. */
  Counts count(int events, Runnable change) {
    PeerStage.Children ownersBefore = stage.ownerChildren();
    ServerCounters before = ServerCounters.read(server);
    group.takeAttempts();
    change.run();
    ServerCounters cost = awaitQuiet(before, events).since(before);
    Counts.Attempts attempts = group.takeAttempts();
    PeerStage.Children owners = stage.ownerChildren().since(ownersBefore);
    return new Counts(
        cost.childrenChanged(),
        cost.dataChanged(),
        cost.created() + cost.deleted(),
        cost.reads(),
        cost.writes(),
        owners.created(),
        owners.deleted(),
        attempts);
  }

  /**
   * Makes a change, of which the group hears by {@code events}, and takes it back, again and again,
   * until one cost {@code reads} and no claim was lost. Collisions are races, and the server counts
   * pings as reads: both only ever add. Returns the last one if there was none like that.
   */
  Counts countAlone(int events, long reads, Runnable change, Runnable back) {
    Counts counts = count(events, change);
    for (int round = 1; round < ROUNDS && !isAlone(counts, reads); round++) {
      back.run();
      awaitQuiet();
      counts = count(events, change);
    }
    return counts;
  }

  private static boolean isAlone(Counts counts, long reads) {
    return counts.attempts().failed() == 0 && counts.reads() == reads;
  }
}
