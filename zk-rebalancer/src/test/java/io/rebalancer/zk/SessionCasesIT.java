package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.registry.CuratorGroupRegistry;
import io.rebalancer.zk.registry.RegistryRules;
import io.rebalancer.zk.runtime.GroupRegistry;
import io.rebalancer.zk.runtime.WatchTarget;
import io.rebalancer.zk.runtime.Witness;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of docs/cases.md about ZooKeeper sessions. */
class SessionCasesIT {

  private static final String IDS = ZnodePaths.ids(Stage.GROUP);
  private static final String ID1 = IDS + "/g1_c1";

  private Stage stage;
  private TcpProxy proxy;
  private TcpProxy others;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1);
    proxy = new TcpProxy(stage.server.getPort());
    others = new TcpProxy(stage.server.getPort());
  }

  @AfterEach
  void close() throws Exception {
    proxy.heal();
    stage.close();
    proxy.close();
    others.close();
  }

  private ZkEngineConfig through(TcpProxy which) {
    return ZkEngineConfig.defaults(which.connectString())
        .withRebalance(200, Duration.ofMillis(100))
        .withSessionTimeout(stage.config.sessionTimeout())
        .withConnectionTimeout(stage.config.connectionTimeout());
  }

  private GroupMember join(ZkEngineConfig config, String name) {
    return stage.engine(config).join(stage.member(name), OwnershipListener.none());
  }

  private GroupMember joinFor(ZkEngineConfig config, String name, String topic) {
    return stage
        .engine(config)
        .join(
            new MemberConfig(Stage.GROUP, name, Subscription.copyOf(Map.of(topic, 1))),
            OwnershipListener.none());
  }

  private void assertNoOverlap() {
    assertThat(LedgerChecker.check(stage.recorder.ledger(), System.nanoTime()).violations())
        .isEmpty();
  }

  private static void awaitNothing(GroupMember member) {
    await().atMost(Stage.SETTLE).until(() -> member.assignment().isEmpty());
  }

  /** Without strict it goes on until it hears of it (D5): see SessionsIT. */
  @Test
  void b018StrictStopsBeforeItsSessionEndsAndRegistersAgain() throws Exception {
    stage.topic("t", 6);
    GroupMember first = join(through(proxy).withStrict(true), "c1");
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);
    long oldSession = stage.stat(ID1).getEphemeralOwner();

    proxy.cutAndRefuse();
    awaitNothing(first);
    assertThat(stage.owner(t(0))).isEqualTo("g1_c1-0");
    stage.awaitShares(second);
    proxy.heal();

    stage.awaitBalance(first, second);
    assertThat(stage.stat(ID1).getEphemeralOwner()).isNotEqualTo(oldSession);
    assertNoOverlap();
  }

  /**
   * Nobody can take over meanwhile, and the server comes back with the sessions: the original
   * rightly goes on, and so that it can, ZooKeeper's client is not believed that they are over.
   */
  @Test
  void b018AServerThatStopsForLongerThanASessionIsSatOut() throws Exception {
    stage.topic("t", 6);
    ZkEngineConfig config = stage.config.withRebalance(200, Duration.ofMillis(100));
    GroupMember strict = join(config.withStrict(true), "c1");
    GroupMember original = join(config, "c2");
    stage.awaitBalance(strict, original);
    Stat first = stage.stat(ID1);
    Stat second = stage.stat(IDS + "/g1_c2");
    stage.recorder.clear();

    stage.server.stop();
    awaitNothing(strict);
    await().pollDelay(stage.config.sessionTimeout().multipliedBy(3).dividedBy(2)).until(() -> true);
    assertThat(original.assignment().size()).isEqualTo(3);
    stage.server.restart();

    stage.awaitBalance(strict, original);
    assertThat(stage.stat(ID1).getCzxid()).isEqualTo(first.getCzxid());
    assertThat(stage.stat(IDS + "/g1_c2").getCzxid()).isEqualTo(second.getCzxid());
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::member)
        .containsOnly("c1");
    GroupMember third = stage.join("c3");
    stage.awaitBalance(strict, original, third);
  }

  /** Every attempt reads everything, so that there is nothing to compare. */
  @Test
  void b020ANodeThatWasMadeAgainDuringADisconnectIsReadAgain() throws Exception {
    stage.topic("t1", 2).topic("t2", 2);
    GroupMember first =
        joinFor(through(proxy).withSessionTimeout(Duration.ofSeconds(9)), "c1", "t1");
    GroupMember before = joinFor(stage.config, "c2", "t1");
    await().atMost(Stage.SETTLE).until(() -> before.assignment().size() == 1);
    stage.awaitQuiet();
    Stat old = stage.stat(IDS + "/g1_c2");

    proxy.cutAndRefuse();
    before.close();
    GroupMember after = joinFor(stage.config, "c2", "t2");
    assertThat(stage.stat(IDS + "/g1_c2"))
        .matches(stat -> stat.getVersion() == old.getVersion())
        .matches(stat -> stat.getCzxid() != old.getCzxid());
    proxy.heal();

    Assignment all1 = Assignment.of("t1", PartitionSet.range(0, 2));
    Assignment all2 = Assignment.of("t2", PartitionSet.range(0, 2));
    await()
        .atMost(Stage.SETTLE)
        .until(() -> first.assignment().equals(all1) && after.assignment().equals(all2));
  }

  @Test
  void b021WhoComesAfterTheEmptyParentWentIsSeen() throws Exception {
    stage.topic("t", 4);
    for (int round = 0; round < 5; round++) {
      GroupMember first = stage.join("c1");
      stage.awaitShares(first);
      GroupMember second = stage.join("c2");
      stage.awaitShares(first, second);
      assertThat(stage.stat(IDS).getEphemeralOwner()).as("no container").isZero();
      second.close();
      first.close();
      stage.admin.delete().forPath(IDS);
    }
  }

  @Test
  void b021StrictMemberMakesAParentThatWasRemovedByHandAgain() throws Exception {
    stage.topic("t", 4);
    GroupMember first = join(stage.config.withStrict(true), "c1");
    stage.awaitBalance(first);
    for (int round = 0; round < 5; round++) {
      stage.admin.delete().deletingChildrenIfNeeded().forPath(IDS);
      await().atMost(Stage.SETTLE).until(() -> stage.stat(ID1) != null);
      GroupMember second = stage.join("c2");
      stage.awaitShares(first, second);
      second.close();
      stage.awaitShares(first);
    }
    assertThat(stage.stat(IDS).getEphemeralOwner()).as("no container").isZero();
  }

  @Test
  void b022StartsFollowedAtOnceByCloseLeaveNothingBehind() throws Exception {
    stage.topic("t", 4);
    ExecutorService pool = Executors.newFixedThreadPool(10);
    try {
      Callable<Void>[] rounds = rounds(100);
      for (var round : pool.invokeAll(List.of(rounds))) {
        round.get();
      }
    } finally {
      pool.shutdownNow();
    }

    assertThat(stage.ids()).isEmpty();
    GroupMember real = stage.join("c0");
    stage.awaitBalance(real);
    assertThat(stage.ids()).containsExactly("g1_c0");
  }

  @SuppressWarnings("unchecked")
  private Callable<Void>[] rounds(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(
            i ->
                (Callable<Void>)
                    () -> {
                      stage.join("c" + i).close();
                      return null;
                    })
        .toArray(Callable[]::new);
  }

  /** 1.1 is refused at once, 0.8 waits one session timeout at a time. */
  @Test
  void b023StrictRegistersWhenTheFormerSessionHasGone() throws Exception {
    stage.topic("t", 4);
    CuratorFramework former = stage.newClient(stage.server.getConnectString());
    register(former, "{}".getBytes(UTF_8));
    CompletableFuture<GroupMember> joining =
        CompletableFuture.supplyAsync(() -> join(stage.config.withStrict(true), "c1"));
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.runtime.ConsumerEffects")) {
      await()
          .atMost(Stage.SETTLE)
          .until(() -> log.messages().stream().anyMatch(message -> message.contains(ID1)));
    }
    long held = stage.stat(ID1).getEphemeralOwner();

    former.close();

    GroupMember member = joining.get();
    stage.awaitBalance(member);
    assertThat(stage.stat(ID1).getEphemeralOwner()).isNotEqualTo(held).isNotZero();
  }

  /** 0.8 compares the texts only, and would be a member that nobody sees once that node goes. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b023AnotherSessionsNodeWithItsOwnTextIsTakenForItsOwnBy08Alone(boolean strict)
      throws Exception {
    stage.topic("t", 4);
    ConsumerRegistration registration = new ConsumerRegistration(stage.member("c1").topics(), 7);
    register(stage.admin, registration.encode());
    long czxid = stage.stat(ID1).getCzxid();
    CuratorGroupRegistry registry =
        new CuratorGroupRegistry(
            stage.server.getConnectString(),
            stage.config.sessionTimeout(),
            stage.config.connectionTimeout(),
            Stage.GROUP,
            new MemberId("g1_c1"),
            new RegistryRules(Profile.V0_8.release(), false, Set.of(), new TreeMap<>(), strict),
            ZkSecurity.none(),
            new Witness("c1", RebalanceObserver.none(), Ticker.system()));
    try (registry) {
      registry.connect(new Deaf());

      Optional<String> holder = registry.register(registration);

      assertThat(holder.isPresent()).isEqualTo(strict);
      assertThat(stage.stat(ID1).getCzxid()).isEqualTo(czxid);
    }
  }

  private void register(CuratorFramework client, byte[] payload) throws Exception {
    client.create().creatingParentsIfNeeded().withMode(CreateMode.EPHEMERAL).forPath(ID1, payload);
  }

  private static final class Deaf implements GroupRegistry.Deliveries {
    @Override
    public void onFired(WatchTarget target) {}

    @Override
    public void onSessionRenewed() {}

    @Override
    public void onWatchesGone() {}

    @Override
    public void onDisconnected(long lapsesAtNanos) {}
  }

  /** All at once, strict or not; one alone: see SessionsIT. */
  @Test
  void b025AReconnectWithinTheSessionDisturbsNobody() throws Exception {
    stage.topic("t", 6);
    Duration session = Duration.ofSeconds(9);
    GroupMember first = join(through(proxy).withSessionTimeout(session).withStrict(true), "c1");
    ZkEngineConfig config = through(others).withSessionTimeout(session);
    GroupMember second = join(config, "c2");
    GroupMember third = join(config.withStrict(true), "c3");
    stage.awaitBalance(first, second, third);
    long czxid = stage.stat(ID1).getCzxid();
    stage.recorder.clear();

    proxy.cut();
    others.cut();
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.Reconnected.class) == 3);
    stage.awaitQuiet();

    assertThat(stage.stat(ID1).getCzxid()).isEqualTo(czxid);
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    assertThat(stage.recorder.ledger()).isEmpty();
  }

  /** Without strict it goes on until it hears of it (D5): see SessionsIT. */
  @Test
  void b027StrictStopsBehindABlackHoleBeforeTheOthersTakeOver() throws Exception {
    stage.topic("t", 6);
    GroupMember first = join(through(proxy).withStrict(true), "c1");
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);

    proxy.swallow();
    awaitNothing(first);
    stage.awaitShares(second);
    assertThat(first.assignment()).isEqualTo(Assignment.empty());
    proxy.heal();

    stage.awaitBalance(first, second);
    assertNoOverlap();
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .anyMatch(attempt -> attempt.member().equals("c1") && attempt.trigger().equals("lost"));
  }

  /** Also where an attempt has begun, and waits for the connection to read the brokers. */
  @Test
  void b027StrictStopsAlsoInTheMiddleOfAnAttempt() throws Exception {
    stage.topic("t", 6);
    AtomicBoolean armed = new AtomicBoolean();
    RebalanceObserver cuts =
        observation -> {
          stage.recorder.on(observation);
          if (observation instanceof Observation.AttemptStarted && armed.getAndSet(false)) {
            proxy.cutAndRefuse();
          }
        };
    try (ZkRebalanceEngine engine = new ZkRebalanceEngine(through(proxy).withStrict(true), cuts)) {
      GroupMember first = engine.join(stage.member("c1"), OwnershipListener.none());
      GroupMember second = join(stage.config.withRebalance(200, Duration.ofMillis(100)), "c2");
      stage.awaitBalance(first, second);

      armed.set(true);
      stage.touch("t");
      awaitNothing(first);
      stage.awaitShares(second);
      proxy.heal();

      stage.awaitBalance(first, second);
      assertNoOverlap();
    }
  }

  /** Every three session timeouts it looks, and a second later it is sure. */
  @Test
  void b032StrictFindsAMemberThatNoWatchToldItOf() throws Exception {
    stage.topic("t", 6);
    ZkEngineConfig watchful =
        stage.config.withSessionTimeout(Duration.ofSeconds(1)).withStrict(true);
    GroupMember first = join(watchful, "c1");
    ZkEngineConfig patient = stage.config.withRebalance(200, Duration.ofMillis(100));
    GroupMember second = join(patient, "c2");
    stage.awaitBalance(first, second);
    stage.dropWatches(IDS, stage.stat(ID1).getEphemeralOwner());

    GroupMember third = join(patient, "c3");
    await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(Observation.ClaimLost.class) > 2);
    assertThat(first.assignment().size()).isEqualTo(3);
    stage.awaitShares(first, second, third);

    assertThat(stage.recorder.of(Observation.WatchRepaired.class))
        .singleElement()
        .matches(repair -> repair.session().equals("c1") && repair.path().equals(IDS));
    third.close();
    stage.awaitBalance(first, second); // The watch is there again.
    assertThat(stage.recorder.count(Observation.WatchRepaired.class)).isEqualTo(1);
  }
}
