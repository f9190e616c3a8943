package io.rebalancer.it.peers;

import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Members of our engine in this JVM. Their attempts are what the engine says of them. */
final class CountedZkGroup implements CountedGroup, RebalanceObserver {

  private final ZkRebalanceEngine engine;
  private final Subscription subscription;
  private final Map<String, GroupMember> members = new HashMap<>();
  private final List<Observation.AttemptEnded> ended = new ArrayList<>();

  CountedZkGroup(ZkEngineConfig config, Map<String, Integer> streams) {
    this.engine = new ZkRebalanceEngine(config, this);
    this.subscription = Subscription.copyOf(streams);
  }

  @Override
  public synchronized void on(Observation observation) {
    if (observation instanceof Observation.AttemptEnded attempt) {
      ended.add(attempt);
    }
  }

  @Override
  public void join(String name) {
    members.put(
        name,
        engine.join(
            new MemberConfig(PeerStage.GROUP, name, subscription), OwnershipListener.none()));
  }

  @Override
  public void coldStart(List<String> names) {
    Stagger stagger = new Stagger();
    for (String name : names) {
      stagger.awaitTurn();
      join(name);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> settledMembers() == names.size());
  }

  private synchronized long settledMembers() {
    return ended.stream()
        .filter(attempt -> !attempt.failed())
        .map(Observation.AttemptEnded::member)
        .distinct()
        .count();
  }

  @Override
  public void leave(String name) {
    members.remove(name).close();
  }

  @Override
  public synchronized Counts.Attempts takeAttempts() {
    int failed = (int) ended.stream().filter(Observation.AttemptEnded::failed).count();
    int redundant =
        (int)
            ended.stream()
                .filter(attempt -> !attempt.failed() && attempt.before().equals(attempt.after()))
                .count();
    Counts.Attempts taken = new Counts.Attempts(ended.size(), failed, redundant);
    ended.clear();
    return taken;
  }

  @Override
  public void close() {
    engine.close();
  }
}
