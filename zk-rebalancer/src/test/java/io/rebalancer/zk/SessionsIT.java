package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerVerdict;
import io.rebalancer.core.ledger.LedgerVerdict.Rule;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that break and sessions that end. */
class SessionsIT {

  private static final String ID1 = ZnodePaths.ids(Stage.GROUP) + "/g1_c1";

  private Stage stage;
  private TcpProxy proxy;
  private ZkRebalanceEngine proxied;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 4);
    proxy = new TcpProxy(stage.server.getPort());
    proxied = stage.engine(config(proxy));
  }

  @AfterEach
  void close() throws Exception {
    proxied.close();
    proxy.close();
    stage.close();
  }

  private ZkEngineConfig config(TcpProxy through) {
    return ZkEngineConfig.defaults(through.connectString())
        .withRebalance(stage.config.rebalanceMaxRetries(), stage.config.rebalanceBackoff())
        .withSessionTimeout(stage.config.sessionTimeout())
        .withConnectionTimeout(stage.config.connectionTimeout());
  }

  private GroupMember joinThroughProxy(String name, OwnershipListener listener) {
    return proxied.join(stage.member(name), listener);
  }

  /** A session that outlives the up to 3 s after which ZooKeeper's client reconnects. */
  private GroupMember joinForLong(String name) {
    return stage
        .engine(config(proxy).withSessionTimeout(Duration.ofSeconds(9)))
        .join(stage.member(name), OwnershipListener.none());
  }

  private LedgerVerdict verdict() {
    return LedgerChecker.check(stage.recorder.ledger(), System.nanoTime());
  }

  @Test
  void plainReconnectKeepsSessionAndOwnership() throws Exception {
    GroupMember member = joinForLong("c1");
    stage.awaitBalance(member);
    long czxid = stage.stat(ID1).getCzxid();
    stage.recorder.clear();

    proxy.cut();
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.Reconnected.class) == 1);
    stage.awaitQuiet();

    assertThat(stage.stat(ID1).getCzxid()).isEqualTo(czxid);
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    assertThat(stage.recorder.ledger()).isEmpty();
    assertThat(member.assignment().size()).isEqualTo(4);
  }

  @Test
  void whatHappenedWhileDisconnectedIsDeliveredAfterwards() throws Exception {
    GroupMember first = joinForLong("c1");
    stage.awaitBalance(first);

    proxy.cut();
    GroupMember second =
        stage
            .engine(stage.config.withRebalance(200, Duration.ofMillis(100)))
            .join(stage.member("c2"), OwnershipListener.none());

    stage.awaitBalance(first, second);
  }

  /** D5: nothing tells a cut-off consumer that its session is over, and it goes on. */
  @Test
  void expiredMemberGoesOnUntilItReconnectsAndThenRegistersAgain() throws Exception {
    List<Assignment> lost = new CopyOnWriteArrayList<>();
    GroupMember first =
        joinThroughProxy(
            "c1",
            new OwnershipListener() {
              @Override
              public void onLost(Assignment partitions) {
                lost.add(partitions);
              }
            });
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);
    long oldSession = stage.stat(ID1).getEphemeralOwner();

    proxy.cutAndRefuse();
    stage.awaitShares(second);
    assertThat(first.assignment()).isEqualTo(Assignment.of("t", PartitionSet.range(0, 2)));
    assertThat(lost).isEmpty();
    assertThat(verdict().violations())
        .hasSize(2)
        .allMatch(violation -> violation.rule() == Rule.TWO_OWNERS)
        .allMatch(violation -> violation.overlapNanos() > 0)
        .extracting(LedgerVerdict.Violation::partition)
        .containsExactlyInAnyOrder(t(0), t(1));

    stage.recorder.clear();
    proxy.heal();
    await().atMost(Stage.SETTLE).until(() -> lost.size() == 1);
    stage.awaitBalance(first, second);

    assertThat(lost).containsExactly(Assignment.of("t", PartitionSet.range(0, 2)));
    assertThat(stage.stat(ID1).getEphemeralOwner()).isNotEqualTo(oldSession);
    assertThat(stage.recorder.ledger().get(0).kind()).isEqualTo(LedgerEntry.Kind.LOST);
    assertThat(stage.recorder.count(Observation.Reconnected.class)).isZero();
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .filteredOn(attempt -> attempt.member().equals("c1") && !attempt.trigger().equals("retry"))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("session", "members", "topic"); // D18
  }

  /** A commit that begins without a connection and ends in the session after it. */
  private CompletableFuture<Void> commitAcrossSessions(ZkRebalanceEngine engine) throws Exception {
    GroupMember first = engine.join(stage.member("c1"), OwnershipListener.none());
    stage.awaitBalance(first);
    proxy.cutAndRefuse();
    CompletableFuture<Void> commit =
        CompletableFuture.supplyAsync(() -> first.commit(Map.of(t(0), 5L)))
            .thenCompose(Function.identity());
    await().atMost(Stage.SETTLE).until(() -> stage.ids().isEmpty());
    GroupMember second = stage.join("c0");
    stage.awaitShares(second);
    second.commit(Map.of(t(0), 50L)).get();

    proxy.heal();
    stage.awaitBalance(second, first);
    assertThat(commit).isDone();
    return commit;
  }

  @Test
  void d8ACommitOfADeadSessionIsCarriedOutInTheNext() throws Exception {
    assertThat(commitAcrossSessions(proxied)).isCompleted();

    assertThat(stage.text(ZnodePaths.offset(Stage.GROUP, t(0)))).isEqualTo("5");
  }

  @Test
  void d8StrictRefusesWhatADeadSessionWasToCommit() throws Exception {
    ZkRebalanceEngine strict = stage.engine(config(proxy).withStrict(true));

    assertThatThrownBy(() -> commitAcrossSessions(strict).get())
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("whose owner nodes it holds");

    assertThat(stage.text(ZnodePaths.offset(Stage.GROUP, t(0)))).isEqualTo("50");
  }

  @Test
  void crashKeepsTheEphemeralsUntilTheServersTimeoutAndOpensNoOtherSession() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    long requests = Stage.metric("connection_request_count");
    stage.recorder.clear();

    member.crash();
    assertThat(stage.ids()).containsExactly("g1_c1");
    assertThat(stage.owner(t(0))).isEqualTo("g1_c1-0");
    await().atMost(Stage.SETTLE).until(() -> stage.ids().isEmpty());

    assertThat(stage.owner(t(0))).isEmpty();
    assertThat(Stage.metric("connection_request_count")).isEqualTo(requests);
    assertThat(Stage.metric("stale_sessions_expired")).isEqualTo(1);
    assertThat(stage.recorder.ledger())
        .singleElement()
        .matches(entry -> entry.kind() == LedgerEntry.Kind.LOST && entry.partitions().size() == 4);
    member.crash();
    member.close();
  }

  @Test
  void closeWithoutAConnectionDoesNotHang() throws Exception {
    GroupMember member = joinThroughProxy("c1", OwnershipListener.none());
    stage.awaitBalance(member);
    proxy.cutAndRefuse();
    stage.touch("t");

    member.close();

    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    await().atMost(Stage.SETTLE).until(() -> stage.ids().isEmpty());
  }

  @Test
  void everyRunOfJoinsAndLeavesHasAValidLedger() throws Exception {
    GroupMember first = stage.join("c1");
    GroupMember second = stage.join("c2");
    GroupMember third = stage.join("c3");
    stage.awaitBalance(first, second, third);
    second.close();
    stage.awaitBalance(first, third);

    assertThat(verdict().violations()).isEmpty();
  }
}
