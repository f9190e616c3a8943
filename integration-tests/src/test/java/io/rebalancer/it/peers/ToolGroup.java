package io.rebalancer.it.peers;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A group for tools to look at: {@code c1} owns t-0, {@code c2} with two streams t-1 and t-2, and
 * they commit 2, 1 and 0.
 */
interface ToolGroup extends AutoCloseable {

  /** Records in each partition of topic t. */
  List<Integer> RECORDS = List.of(3, 1, 0);

  Subscription ONE = Subscription.copyOf(Map.of("t", 1));
  Subscription TWO = Subscription.copyOf(Map.of("t", 2));

  void commit();

  /** All leave in good order. */
  @Override
  void close();

  /** Whose consumers they are. */
  enum Kind {
    KAFKA_1_1_1(PeerRelease.V1_1_1, true),
    KAFKA_0_8_2_2(PeerRelease.V0_8_2_2, true),
    OURS_1_1(PeerRelease.V1_1_1, false),
    OURS_0_8(PeerRelease.V0_8_2_2, false);

    private final PeerRelease release;
    private final boolean real;

    Kind(PeerRelease release, boolean real) {
      this.release = release;
      this.real = real;
    }

    /** Returns when both have joined and own what they should. */
    ToolGroup join(PeerStage stage) {
      ToolGroup group = real ? new Real(stage, release) : new Ours(stage, release);
      stage.awaitOwners(
          name(), stage.expectedOwners(new RangeAssignor(), Map.of("c1", ONE, "c2", TWO)));
      return group;
    }
  }

  /** Original consumers; what they commit they have consumed. */
  final class Real implements ToolGroup {

    private final RealConsumers jvm;

    private Real(PeerStage stage, PeerRelease release) {
      Map<String, String> config =
          new TreeMap<>(RealConsumers.config(stage.connect(), "range", Duration.ofSeconds(20)));
      config.put("auto.commit.enable", "false");
      config.put("auto.offset.reset", "smallest");
      config.put("consumer.timeout.ms", "200");
      jvm = RealConsumers.start(release, config);
      jvm.join("c1", ONE).awaitDone("c1");
      jvm.join("c2", TWO).awaitDone("c2");
    }

    @Override
    public void commit() {
      jvm.consume("c1", 2).awaitDone("c1");
      jvm.consume("c2", 1).awaitDone("c2");
      jvm.commit("c1").awaitDone("c1");
      jvm.commit("c2").awaitDone("c2");
    }

    @Override
    public void close() {
      jvm.close();
    }
  }

  /** Members of our engine. */
  final class Ours implements ToolGroup {

    private final ZkRebalanceEngine engine;
    private final GroupMember c1;
    private final GroupMember c2;

    private Ours(PeerStage stage, PeerRelease release) {
      engine =
          new ZkRebalanceEngine(
              ZkEngineConfig.defaults(stage.connect())
                  .withProfile(release.profile())
                  .withRebalance(RealConsumers.RETRIES, RealConsumers.BACKOFF),
              RebalanceObserver.none());
      c1 = join("c1", ONE);
      c2 = join("c2", TWO);
    }

    private GroupMember join(String name, Subscription subscription) {
      return engine.join(
          new MemberConfig(PeerStage.GROUP, name, subscription), OwnershipListener.none());
    }

    @Override
    public void commit() {
      c1.commit(Map.of(new TopicPartition("t", 0), 2L)).join();
      c2.commit(Map.of(new TopicPartition("t", 1), 1L, new TopicPartition("t", 2), 0L)).join();
    }

    @Override
    public void close() {
      engine.close();
    }
  }
}
