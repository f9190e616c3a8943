package io.rebalancer.zk.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.protocol.ConsumerSettings;
import io.rebalancer.zk.protocol.RebalancePlanner;
import io.rebalancer.zk.runtime.OffsetRules;
import io.rebalancer.zk.runtime.SessionLapsedException;
import io.rebalancer.zk.runtime.WatchRules;
import io.rebalancer.zk.runtime.WatchTarget;
import io.rebalancer.zk.runtime.Witness;
import io.rebalancer.zk.runtime.ZkMember;
import io.rebalancer.zk.security.SecureHandles;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connection events that come late, or say what is no longer so. */
class SessionEventsIT {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final GroupId GROUP = new GroupId("g");
  private static final MemberId SELF = new MemberId("g_c1");
  private static final String ID = ZnodePaths.id(GROUP, SELF);

  private static TestingServer server;
  private static CuratorFramework admin;

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final List<WatchedEvent> toldCurator = new ArrayList<>();
  private CuratorGroupRegistry registry;
  private ZkMember member;

  @BeforeAll
  static void open() throws Exception {
    server = new TestingServer();
    admin = CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
    admin.start();
    admin
        .create()
        .creatingParentsIfNeeded()
        .forPath(ZnodePaths.broker(1), new BrokerRegistration("h", 9092, 0, true).encode());
    admin
        .create()
        .creatingParentsIfNeeded()
        .forPath(ZnodePaths.topic("t"), TopicPayload.encode(2, List.of(1)));
  }

  @AfterAll
  static void closeServer() throws Exception {
    admin.close();
    server.close();
  }

  @AfterEach
  void close() {
    if (member != null) {
      member.close();
    }
  }

  private void start(boolean strict) {
    Duration session = Duration.ofSeconds(2);
    Witness witness = new Witness("c1", ledger, Ticker.system());
    registry =
        new CuratorGroupRegistry(
            server.getConnectString(),
            session,
            LIMIT,
            GROUP,
            SELF,
            new RegistryRules(Release.V1_1, false, Set.of(), new TreeMap<>(), strict),
            ZkSecurity.none(),
            witness);
    member =
        new ZkMember(
            new MemberConfig(GROUP, "c1", Subscription.copyOf(Map.of("t", 1))),
            new ConsumerSettings(
                SELF,
                new RebalancePlanner(new RangeAssignor()),
                4,
                Duration.ofMillis(50),
                session,
                false,
                strict),
            new WatchRules(false, true, false, false, Set.of(), Duration.ZERO),
            new OffsetRules(false, Duration.ofSeconds(1), true, null),
            OwnershipListener.none(),
            registry,
            witness);
    member.start(LIMIT);
    awaitShare();
  }

  private void awaitShare() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(member.assignment().size()).isEqualTo(2);
              assertThat(admin.checkExists().forPath(ID).getEphemeralOwner())
                  .isEqualTo(registry.session().sessionId());
            });
  }

  private void tell(int handle, KeeperState state) {
    registry
        .session()
        .onConnectionEvent(handle, new WatchedEvent(EventType.None, state, null), toldCurator::add);
  }

  private int attempts() {
    return ledger.all(Observation.AttemptEnded.class).size();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b034TheEndOfAFormerSessionIsNoNewsInTheNextOne(boolean strict) {
    start(strict);
    long session = registry.session().sessionId();

    tell(0, KeeperState.Disconnected);
    tell(0, KeeperState.Expired);
    registry.watch(WatchTarget.MEMBERS);

    assertThat(toldCurator).isEmpty();
    assertThat(registry.session().sessionId()).isEqualTo(session);
    assertThat(attempts()).isEqualTo(1);
    awaitShare();
  }

  /** The next request finds that there is a connection. A strict one claims anew. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b034ADisconnectThatIsNotSoIsFoundOut(boolean strict) throws Exception {
    start(strict);
    long session = registry.session().sessionId();

    tell(1, KeeperState.Disconnected);
    admin.setData().forPath(ZnodePaths.topic("t"), TopicPayload.encode(2, List.of(1)));

    await().atMost(LIMIT).until(() -> attempts() >= 2);
    awaitShare();
    assertThat(registry.session().sessionId()).isEqualTo(session);
    assertThat(ledger.check().violations()).isEmpty();
  }

  /** Else a listener's commit that fails by it would be the only one to know. */
  @Test
  void aLapseFailsEveryRequestUntilItIsTakenAndNoneAfterwards() throws Exception {
    SessionWatch session =
        new SessionWatch(
            new SecureHandles(ZkSecurity.none()),
            new Witness("c1", ledger, Ticker.system()),
            true,
            new Nobody());
    session.lapsesOn(Thread.currentThread());
    try (ZooKeeper handle =
        session.newZooKeeper(server.getConnectString(), 2_000, event -> {}, false)) {
      session.awaitConnected();
      session.onConnectionEvent(
          1, new WatchedEvent(EventType.None, KeeperState.Disconnected, null), event -> {});

      assertThatThrownBy(session::awaitConnected).isInstanceOf(SessionLapsedException.class);
      assertThatThrownBy(session::awaitConnected).isInstanceOf(SessionLapsedException.class);
      assertThat(session.takeLapse()).isTrue();
      assertThat(session.takeLapse()).isFalse();
      session.awaitConnected(); // The handle says that it is connected.

      assertThat(session.sessionId()).isEqualTo(handle.getSessionId());
    }
  }

  private static final class Nobody implements SessionWatch.Listener {
    @Override
    public void onRenewed() {}

    @Override
    public void onResumed() {}

    @Override
    public void onDisconnected(long lapsesAtNanos) {}
  }
}
