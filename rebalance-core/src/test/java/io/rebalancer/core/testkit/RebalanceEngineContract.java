package io.rebalancer.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every engine owes its users, on real sockets. Engines use range, the default of both. */
public abstract class RebalanceEngineContract {

  private static final GroupId GROUP = new GroupId("g");

  private final OwnershipLedger ledger = new OwnershipLedger();
  private RebalanceEngine engine;

  /** An engine on its own running servers, sharing no group with earlier ones. */
  protected abstract RebalanceEngine startEngine(RebalanceObserver observer) throws Exception;

  /** Creates the topic, or gives it more partitions. */
  protected abstract void setPartitions(String topic, int partitions) throws Exception;

  /** How long a group may take to settle after any change, a crash included. */
  protected abstract Duration patience();

  @BeforeEach
  void start() throws Exception {
    engine = startEngine(ledger);
    setPartitions("t", 10);
  }

  @AfterEach
  void stop() {
    engine.close();
  }

  private GroupMember join(String name) {
    return join(name, OwnershipListener.none());
  }

  private GroupMember join(String name, OwnershipListener listener) {
    return engine.join(
        new MemberConfig(GROUP, name, Subscription.copyOf(Map.of("t", 1))), listener);
  }

  /** Waits until the members, by name, own exactly what range gives them. */
  private void settles(int partitions, Map<String, GroupMember> members) {
    SortedMap<MemberId, Subscription> subscriptions = new TreeMap<>();
    members
        .keySet()
        .forEach(
            name -> subscriptions.put(new MemberId(name), Subscription.copyOf(Map.of("t", 1))));
    Map<MemberId, Assignment> shares =
        new RangeAssignor().assign(Map.of("t", PartitionSet.range(0, partitions)), subscriptions);
    await()
        .atMost(patience())
        .untilAsserted(
            () ->
                shares.forEach(
                    (id, share) ->
                        assertThat(members.get(id.value()).assignment())
                            .as(id.value())
                            .isEqualTo(share)));
  }

  @Test
  void aSingleMemberOwnsEverything() {
    GroupMember a = join("a");

    settles(10, Map.of("a", a));
    assertThat(a.id()).isPresent();
  }

  @Test
  void membersShareAsRangeSaysAndTheLedgerIsValid() {
    GroupMember a = join("a");
    GroupMember b = join("b");
    GroupMember c = join("c");

    settles(10, Map.of("a", a, "b", b, "c", c));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void theSharesOfAMemberThatLeavesGoToTheOthers() {
    GroupMember a = join("a");
    GroupMember b = join("b");
    settles(10, Map.of("a", a, "b", b));

    a.close();

    assertThat(a.assignment()).isEqualTo(Assignment.empty());
    settles(10, Map.of("b", b));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void theSharesOfAMemberThatCrashesGoToTheOthersWhenItsSessionEnds() {
    GroupMember a = join("a");
    GroupMember b = join("b");
    settles(10, Map.of("a", a, "b", b));

    a.crash();

    assertThat(a.assignment()).isEqualTo(Assignment.empty());
    settles(10, Map.of("b", b));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void aMemberThatComesBackUnderItsNameGetsItsShareAgain() {
    GroupMember a = join("a");
    GroupMember b = join("b");
    settles(10, Map.of("a", a, "b", b));

    a.close();
    GroupMember again = join("a");

    settles(10, Map.of("a", again, "b", b));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void partitionsAddedToATopicAreShared() throws Exception {
    GroupMember a = join("a");
    GroupMember b = join("b");
    settles(10, Map.of("a", a, "b", b));

    setPartitions("t", 15);

    settles(15, Map.of("a", a, "b", b));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void everyPartitionGivenToTheListenerIsTakenBackFromIt() {
    List<String> calls = new CopyOnWriteArrayList<>();
    GroupMember a =
        join(
            "a",
            new OwnershipListener() {
              @Override
              public void onRevoked(Assignment partitions) {
                calls.add("revoked " + partitions);
              }

              @Override
              public void onAssigned(Assignment partitions) {
                calls.add("assigned " + partitions);
              }
            });
    settles(10, Map.of("a", a));

    a.close();

    assertThat(calls).containsExactly("assigned t:0-9", "revoked t:0-9");
  }

  @Test
  void anOffsetIsReadBackByTheNextOwner() throws Exception {
    TopicPartition t3 = new TopicPartition("t", 3);
    GroupMember a = join("a");
    settles(10, Map.of("a", a));
    assertThat(a.committed(t3).get(10, TimeUnit.SECONDS)).isEmpty();

    a.commit(Map.of(t3, 42L)).get(10, TimeUnit.SECONDS);
    a.close();

    GroupMember b = join("b");
    settles(10, Map.of("b", b));
    assertThat(b.committed(t3).get(10, TimeUnit.SECONDS)).contains(42L);
  }

  @Test
  void whatIsNotOwnedCannotBeCommitted() {
    GroupMember a = join("a");
    settles(10, Map.of("a", a));

    assertThatThrownBy(
            () -> a.commit(Map.of(new TopicPartition("t", 77), 1L)).get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("t-77");
  }

  @Test
  void closingTwiceAndJoiningAClosedEngineAreHarmless() {
    GroupMember a = join("a");
    settles(10, Map.of("a", a));

    a.close();
    a.close();
    engine.close();
    engine.close();

    assertThatThrownBy(() -> join("late")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void everythingProcessedWasClaimedOrGrantedWithItsToken() {
    GroupMember a = join("a");
    GroupMember b = join("b");
    settles(10, Map.of("a", a, "b", b));

    assertThat(ledger.entries())
        .filteredOn(entry -> entry.kind() == LedgerEntry.Kind.ASSIGNED)
        .isNotEmpty();
    assertThat(ledger.check().violations()).isEmpty();
  }
}
