package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.zk.Profile;
import io.rebalancer.zk.ZkEngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Groups of original consumers and ours on one server, each taken through the same changes. */
final class SharedGroup implements AutoCloseable {

  static final Duration SESSION = Duration.ofSeconds(4);

  /** Most of a group's time is spent waiting for sessions to expire. */
  private static final int AT_ONCE = 3;

  private final EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
  private final StubBrokers brokers = new StubBrokers(2);
  private final AtomicInteger stages = new AtomicInteger();
  private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);

  /** Starts all, a few at once, and returns a test for each that waits for its end. */
  Stream<DynamicTest> tests(Stream<Cell> cells) {
    Map<String, Callable<Void>> runs = new LinkedHashMap<>();
    cells.forEach(cell -> runs.put(cell.name(), () -> run(cell)));
    return tests(runs);
  }

  /** The same of anything, by name. */
  Stream<DynamicTest> tests(Map<String, Callable<Void>> runs) {
    List<DynamicTest> tests = new ArrayList<>();
    runs.forEach(
        (name, run) -> {
          Future<?> end = threads.submit(run);
          tests.add(DynamicTest.dynamicTest(name, () -> await(end)));
        });
    return tests.stream();
  }

  private static void await(Future<?> end) throws Throwable {
    try {
      end.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  PeerStage stage(String name, Map<String, Integer> topics) {
    return new PeerStage(
        zooKeeper.connectString(), name + "-" + stages.incrementAndGet(), brokers.ports(), topics);
  }

  static RealConsumers real(PeerStage stage, PeerRelease release, String strategy) {
    return RealConsumers.start(release, RealConsumers.config(stage.connect(), strategy, SESSION));
  }

  static ZkEngineConfig ours(PeerStage stage, Profile profile) {
    return ZkEngineConfig.defaults(stage.connect())
        .withProfile(profile)
        .withSessionTimeout(SESSION)
        .withRebalance(RealConsumers.RETRIES, RealConsumers.BACKOFF);
  }

  /** A real one that is going to be killed has a JVM to itself. */
  private Void run(Cell cell) throws InterruptedException {
    try (PeerStage stage = stage(cell.name(), Cell.TOPICS);
        RealConsumers first = real(stage, cell.release(), cell.strategy());
        RealConsumers others = real(stage, cell.release(), cell.strategy());
        MixedGroup group =
            new MixedGroup(
                stage,
                cell.assignor(),
                cell.selection(),
                cell.subscription(),
                ours(stage, cell.release().profile()))) {
      group.join("c1", first).join("c2").join("c3", others).join("c4");
      assertThat(group.settle("2 real, 2 ours")).isEqualTo(ReferenceOwners.recorded().of(cell));
      group.leave("c4").settle("one of ours has left");
      group.leave("c3").settle("a real one has left");
      group.join("c10", others).join("c0").settle("one of each has joined");
      group.kill("c1").kill("c2").settle("one of each was killed");
      group.demandValidLedger();
    }
    return null;
  }

  @Override
  public void close() {
    threads.shutdownNow();
    brokers.close();
    zooKeeper.close();
  }
}
