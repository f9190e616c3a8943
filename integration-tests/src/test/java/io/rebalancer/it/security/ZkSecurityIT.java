package io.rebalancer.it.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import io.rebalancer.zk.security.ZkSecurity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Consumers on a ZooKeeper that wants TLS, logins and ACLs. */
class ZkSecurityIT {

  private static final Duration SETTLE = Duration.ofSeconds(30);
  private static final List<String> OPEN = List.of("world:anyone:cdrwa");

  @TempDir static Path directory;

  private static KeyStores stores;
  private static SecureZooKeeper zookeeper;
  private static CuratorFramework admin;

  private final List<ZkRebalanceEngine> engines = new CopyOnWriteArrayList<>();
  private final List<Observation> observations = new CopyOnWriteArrayList<>();
  private GroupId group;

  @BeforeAll
  static void open() throws Exception {
    stores = KeyStores.in(directory);
    zookeeper = SecureZooKeeper.start(directory, stores);
    admin =
        CuratorFrameworkFactory.builder()
            .connectString(zookeeper.plain())
            .retryPolicy(new RetryOneTime(500))
            .ensembleTracker(false)
            .build();
    admin.start();
    admin
        .create()
        .creatingParentsIfNeeded()
        .forPath(ZnodePaths.broker(1), new BrokerRegistration("h", 9092, 0, true).encode());
    admin
        .create()
        .creatingParentsIfNeeded()
        .forPath(ZnodePaths.topic("t"), TopicPayload.encode(2, List.of(1)));
    joinOverTlsOnce();
  }

  /** The first handshake of a JVM takes seconds on a busy machine. */
  private static void joinOverTlsOnce() {
    try (ZkRebalanceEngine engine =
        new ZkRebalanceEngine(
            ZkEngineConfig.defaults(zookeeper.tls())
                .withConnectionTimeout(Duration.ofMinutes(1))
                .withSecurity(ZkSecurity.parse(stores.clientConfiguration())),
            RebalanceObserver.none())) {
      engine.join(
          new MemberConfig(new GroupId("g-first"), "c1", Subscription.copyOf(Map.of("t", 1))),
          OwnershipListener.none());
    }
  }

  @AfterAll
  static void close() {
    admin.close();
    zookeeper.close();
  }

  @BeforeEach
  void name(TestInfo test) {
    group = new GroupId("g-" + test.getTestMethod().orElseThrow().getName());
  }

  @AfterEach
  void leave() {
    engines.forEach(ZkRebalanceEngine::close);
    Configuration.setConfiguration(null);
  }

  private GroupMember join(String name, String connect, Map<String, String> security) {
    RebalanceObserver observer = observations::add;
    ZkRebalanceEngine engine =
        new ZkRebalanceEngine(
            ZkEngineConfig.defaults(connect)
                .withRebalance(4, Duration.ofMillis(100))
                .withConnectionTimeout(Duration.ofSeconds(10))
                .withSecurity(ZkSecurity.parse(security)),
            observer);
    engines.add(engine);
    return engine.join(
        new MemberConfig(group, name, Subscription.copyOf(Map.of("t", 1))),
        OwnershipListener.none());
  }

  private void awaitShares(int each, GroupMember... members) {
    await()
        .atMost(SETTLE)
        .untilAsserted(
            () -> {
              for (GroupMember member : members) {
                assertThat(member.assignment().size()).isEqualTo(each);
              }
            });
  }

  private static Map<String, String> with(Map<String, String> base, String... more) {
    Map<String, String> all = new HashMap<>(base);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static List<String> acl(String path) throws Exception {
    List<String> shown = new ArrayList<>();
    for (ACL acl : admin.getACL().forPath(path)) {
      StringBuilder permissions = new StringBuilder();
      for (int bit = 0; bit < 5; bit++) {
        if ((acl.getPerms() & 1 << bit) != 0) {
          permissions.append("rwcda".charAt(bit));
        }
      }
      String sorted =
          permissions
              .chars()
              .sorted()
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
      shown.add(
          acl.getId().getScheme()
              + ":"
              + acl.getId().getId()
              + ":"
              + sorted.replace("acdrw", "cdrwa"));
    }
    return shown;
  }

  private void assertAcls(String creator) throws Exception {
    String root = ZnodePaths.group(group);
    for (String open :
        List.of("/consumers", root, root + "/ids", root + "/ids/" + group.value() + "_c1")) {
      assertThat(acl(open)).as(open).isEqualTo(OPEN);
    }
    for (String creators :
        List.of("/owners", "/owners/t", "/owners/t/0", "/offsets", "/offsets/t", "/offsets/t/0")) {
      assertThat(acl(root + creators))
          .as(creators)
          .containsExactly(creator + ":cdrwa", "world:anyone:r");
    }
  }

  @Test
  void membersShareAGroupOverTlsAndInPlainText() {
    Set<String> before = System.getProperties().stringPropertyNames();
    GroupMember secure = join("c1", zookeeper.tls(), stores.clientConfiguration());
    GroupMember plain = join("c2", zookeeper.plain(), Map.of());

    awaitShares(1, secure, plain);

    assertThat(System.getProperties().stringPropertyNames())
        .filteredOn(name -> name.startsWith("zookeeper."))
        .isSubsetOf(before);
  }

  /** All at once, since each takes the whole connection timeout. */
  @Test
  void whatKeepsItFromConnectingIsNamed() {
    Map<String, String> right = stores.clientConfiguration();
    Map<String, String> withoutCertificate = new HashMap<>(right);
    withoutCertificate.keySet().removeIf(key -> key.startsWith("zookeeper.ssl.keystore"));
    Map<String, String> trustingAnother =
        with(right, "zookeeper.ssl.truststore.location", stores.trustOfServer().toString());

    CompletableFuture<String> foreign = failureToJoin("c1", zookeeper.tls(), trustingAnother);
    CompletableFuture<String> anonymous = failureToJoin("c2", zookeeper.tls(), withoutCertificate);
    CompletableFuture<String> plain = failureToJoin("c3", zookeeper.tls(), Map.of());
    CompletableFuture<String> secure = failureToJoin("c4", zookeeper.plain(), right);

    assertThat(foreign.join())
        .startsWith(notReached(zookeeper.tls()) + "no TLS connection: the server's certificate: ");
    assertThat(anonymous.join())
        .startsWith(notReached(zookeeper.tls()) + "no TLS connection: Received fatal alert: ");
    assertThat(plain.join())
        .isEqualTo(
            notReached(zookeeper.tls())
                + "a TLS port (expected: zookeeper.ssl.client.enable=true for it)");
    assertThat(secure.join())
        .startsWith(notReached(zookeeper.plain()) + "no TLS connection: ")
        .endsWith(" (expected: a TLS port)");
  }

  private CompletableFuture<String> failureToJoin(
      String name, String connect, Map<String, String> security) {
    CompletableFuture<String> message = new CompletableFuture<>();
    Thread joining =
        new Thread(
            () -> {
              try {
                join(name, connect, security);
                message.complete("joined");
              } catch (RuntimeException e) {
                message.complete(e.getMessage());
              }
            });
    joining.start();
    return message;
  }

  private static String notReached(String connect) {
    return "zookeeper.connect: " + connect + " not reached within 10000 ms: " + connect + ": ";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zookeeper.ssl.truststore.location | /no/such.p12"
            + " | zookeeper.ssl.truststore.location: /no/such.p12 (expected: a file that can be",
        "zookeeper.ssl.keystore.password | wrong"
            + " | zookeeper.ssl.keystore.location: KEYSTORE: keystore password was incorrect",
        "zookeeper.ssl.protocol | TLSv9 | zookeeper.ssl.*: TLSv9 SSLContext not available",
      })
  void aStoreThatCannotBeUsedIsRefusedBeforeAnythingIsSent(
      String key, String value, String message) {
    assertThatThrownBy(
            () -> join("c1", zookeeper.tls(), with(stores.clientConfiguration(), key, value)))
        .hasMessageContaining(message.replace("KEYSTORE", stores.client().toString()));
  }

  @Test
  void aDigestLoginOwnsWhatItCreatesAndOthersReadIt() throws Exception {
    Map<String, String> login =
        Map.of("zookeeper.auth.digest", "m1:m1-secret", "zookeeper.set.acl", "true");
    GroupMember first = join("c1", zookeeper.plain(), login);
    awaitShares(2, first);
    first.commit(Map.of(new TopicPartition("t", 0), 7L)).join();

    assertAcls("digest:m1:x"); // The server shows the hash to its owner only.
    String owner = ZnodePaths.owner(group, new TopicPartition("t", 0));
    assertThat(new String(admin.getData().forPath(owner), UTF_8)).endsWith("_c1-0");
    assertThatThrownBy(() -> admin.delete().forPath(owner))
        .isInstanceOf(KeeperException.NoAuthException.class);
    assertThatThrownBy(() -> admin.setData().forPath(owner, new byte[0]))
        .isInstanceOf(KeeperException.NoAuthException.class);

    GroupMember second = join("c2", zookeeper.plain(), login);
    awaitShares(1, first, second);
  }

  @Test
  void withoutTheSwitchEverythingIsOpen() throws Exception {
    GroupMember member =
        join("c1", zookeeper.plain(), Map.of("zookeeper.auth.digest", "m1:m1-secret"));
    awaitShares(2, member);

    assertThat(acl(ZnodePaths.owner(group, new TopicPartition("t", 0)))).isEqualTo(OPEN);
  }

  @Test
  void aMemberWithAWrongPasswordIsToldWhatRefusesIt() {
    Map<String, String> right =
        Map.of("zookeeper.auth.digest", "m1:m1-secret", "zookeeper.set.acl", "true");
    GroupMember first = join("a", zookeeper.plain(), right);
    awaitShares(2, first);
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.registry.Znodes")) {

      join("b", zookeeper.plain(), with(right, "zookeeper.auth.digest", "m1:guessed"));
      await()
          .atMost(SETTLE)
          .until(() -> observations.stream().anyMatch(Observation.GaveUp.class::isInstance));

      assertThat(log.messages())
          .containsExactly(
              "WARN /consumers/"
                  + group.value()
                  + "/owners/t/1: NOAUTH: its ACL refuses digest user m1");
      awaitShares(1, first);
    }
  }

  @Test
  void aClientWithoutLoginCannotSetAcls() {
    assertThatThrownBy(() -> join("c1", zookeeper.plain(), Map.of("zookeeper.set.acl", "true")))
        .hasMessageStartingWith(
            "zookeeper.set.acl: true without a login (expected: zookeeper.auth.digest, ");
  }

  @Test
  void aSaslLoginOwnsWhatItCreates() throws Exception {
    jaas("Mine", SecureZooKeeper.PASSWORD);
    Map<String, String> login =
        Map.of(
            "zookeeper.sasl.clientconfig", "Mine",
            "zookeeper.fips-mode", "false",
            "zookeeper.set.acl", "true");

    GroupMember first = join("c1", zookeeper.plain(), login);
    awaitShares(2, first);
    first.commit(Map.of(new TopicPartition("t", 0), 7L)).join();

    assertAcls("sasl:" + SecureZooKeeper.USER);
    GroupMember second = join("c2", zookeeper.plain(), login);
    awaitShares(1, first, second);
  }

  @Test
  void aSaslLoginThatIsRefusedIsNamed() {
    jaas("Mine", "guessed");

    assertThatThrownBy(
            () ->
                join(
                    "c1",
                    zookeeper.plain(),
                    Map.of("zookeeper.sasl.clientconfig", "Mine", "zookeeper.fips-mode", "false")))
        .hasMessageContaining("ZooKeeper refused the login: SASL login context Mine");
  }

  @Test
  void aLoginByPasswordInFipsModeIsRefusedBeforeAnythingIsSent() {
    jaas("Client", SecureZooKeeper.PASSWORD);

    assertThatThrownBy(() -> join("c1", zookeeper.plain(), Map.of()))
        .hasMessage(
            "zookeeper.fips-mode: true (expected: false, as login context Client uses DIGEST-MD5)");
  }

  @Test
  void aLoginContextThatDoesNotExistIsNamed() {
    jaas("Other", SecureZooKeeper.PASSWORD);

    assertThatThrownBy(
            () -> join("c1", zookeeper.plain(), Map.of("zookeeper.sasl.clientconfig", "Mine")))
        .hasMessageContaining(
            "zookeeper.sasl.clientconfig: \"Mine\" (expected: a login context of the JAAS");
  }

  @Test
  void saslCanBeSwitchedOffThoughTheJvmHasALogin() throws Exception {
    jaas("Client", "guessed");

    GroupMember member = join("c1", zookeeper.plain(), Map.of("zookeeper.sasl.client", "false"));

    awaitShares(2, member);
  }

  private static void jaas(String context, String password) {
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            DigestLoginModule.class.getName(),
            AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
            Map.of("username", SecureZooKeeper.USER, "password", password));
    Configuration.setConfiguration(
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return name.equals(context) ? new AppConfigurationEntry[] {entry} : null;
          }
        });
  }
}
