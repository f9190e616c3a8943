package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** One group with members of both kinds: who is in it, and what each step has to come to. */
final class MixedGroup implements AutoCloseable {

  private final PeerStage stage;
  private final PartitionAssignor assignor;
  private final TopicSelection selection;
  private final Subscription subscription;
  private final OwnershipLedger ledger = new OwnershipLedger();
  private final ZkRebalanceEngine engine;
  private final Map<String, GroupMember> ours = new TreeMap<>();
  private final Map<String, RealConsumers> real = new TreeMap<>();
  private final Map<String, Subscription> subscriptions = new TreeMap<>();

  /**
   * Makes a group without members.
   *
   * @param selection what each asks for that joins without saying so
   * @param subscription what that comes to
   */
  MixedGroup(
      PeerStage stage,
      PartitionAssignor assignor,
      TopicSelection selection,
      Subscription subscription,
      ZkEngineConfig config) {
    this.stage = stage;
    this.assignor = assignor;
    this.selection = selection;
    this.subscription = subscription;
    this.engine = new ZkRebalanceEngine(config.withAssignmentStrategy(assignor.name()), ledger);
  }

  MixedGroup join(String name) {
    return join(name, selection, subscription);
  }

  MixedGroup join(String name, TopicSelection asksFor, Subscription comesTo) {
    subscriptions.put(name, comesTo);
    ours.put(
        name,
        engine.join(new MemberConfig(PeerStage.GROUP, name, asksFor), OwnershipListener.none()));
    return this;
  }

  MixedGroup join(String name, RealConsumers jvm) {
    return join(name, jvm, selection, subscription);
  }

  MixedGroup join(String name, RealConsumers jvm, TopicSelection asksFor, Subscription comesTo) {
    subscriptions.put(name, comesTo);
    real.put(name, jvm.join(name, asksFor));
    return this;
  }

  MixedGroup leave(String name) {
    if (ours.containsKey(name)) {
      ours.remove(name).close();
    } else {
      real.remove(name).leave(name);
    }
    return this;
  }

  /** Ours: the socket is cut. Real: its JVM, in which it has to be alone, is killed. */
  MixedGroup kill(String name) throws InterruptedException {
    if (ours.containsKey(name)) {
      ours.remove(name).crash();
    } else {
      real.remove(name).kill();
    }
    return this;
  }

  /**
   * Waits until every partition has exactly the owner that the strategy gives it among the members
   * there are; then each must believe just what its nodes say.
   */
  SortedMap<TopicPartition, String> settle(String step) {
    SortedMap<TopicPartition, String> expected = expectedOwners();
    stage.awaitOwners(step, expected);
    assertThat(stage.memberIds())
        .as(step)
        .containsExactlyElementsOf(names().map(name -> PeerStage.GROUP + "_" + name).toList());
    ours.forEach(
        (name, member) ->
            assertThat(member.assignment())
                .as(step + ": " + name)
                .isEqualTo(Assignment.ofPartitions(held(name, expected))));
    real.forEach(
        (name, jvm) -> {
          String consumer = PeerStage.GROUP + "_" + name;
          await(step + ": " + name)
              .untilAsserted(
                  () ->
                      assertThat(jvm.lastSelection(consumer))
                          .hasValue(new Selection(consumer, new TreeSet<>(held(name, expected)))));
        });
    return expected;
  }

  private SortedMap<TopicPartition, String> expectedOwners() {
    Map<String, Subscription> members = new LinkedHashMap<>();
    names().forEach(name -> members.put(name, subscriptions.getOrDefault(name, subscription)));
    return stage.expectedOwners(assignor, members);
  }

  private Stream<String> names() {
    return Stream.concat(ours.keySet().stream(), real.keySet().stream()).sorted();
  }

  private static List<TopicPartition> held(String name, SortedMap<TopicPartition, String> owners) {
    return owners.entrySet().stream()
        .filter(owner -> owner.getValue().startsWith(PeerStage.GROUP + "_" + name + "-"))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Nothing that ours have done in this group breaks a rule of the ledger. */
  void demandValidLedger() {
    assertThat(LedgerChecker.check(ledger.entries(), Ticker.system().nanos()).violations())
        .isEmpty();
  }

  @Override
  public void close() {
    engine.close();
    real.forEach((name, jvm) -> jvm.leave(name));
  }
}
