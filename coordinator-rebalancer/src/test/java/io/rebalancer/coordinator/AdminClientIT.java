package io.rebalancer.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An unmodified AdminClient of kafka-clients 4.4.0; each test has groups of its own. */
class AdminClientIT {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private static Stage stage;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    stage = Stage.withCoordinator();
    stage.topic("t", 2);
    stage.topic("wide", 2_500);
    stage.topic("__consumer_offsets", 3);
    Properties properties = new Properties();
    properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, stage.bootstrap());
    admin = Admin.create(properties);
    await().until(() -> admin.listTopics().names().get().equals(Set.of("t", "wide")));
  }

  @AfterAll
  static void stop() throws Exception {
    admin.close();
    stage.close();
  }

  private static <T> T get(KafkaFuture<T> future) throws Exception {
    return future.get(15, SECONDS);
  }

  private static void assertFails(KafkaFuture<?> future, Class<? extends Throwable> cause) {
    assertThatThrownBy(() -> get(future)).cause().isInstanceOf(cause);
  }

  private static void pollUntil(KafkaConsumer<byte[], byte[]> consumer, int partitions) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(20));
              return consumer.assignment().size() == partitions;
            });
  }

  private static void alter(String group, Map<TopicPartition, Long> offsets) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
    offsets.forEach((partition, offset) -> all.put(partition, new OffsetAndMetadata(offset, "m")));
    get(admin.alterConsumerGroupOffsets(group, all).all());
  }

  private static Map<TopicPartition, OffsetAndMetadata> offsets(String group) throws Exception {
    return get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(group));
  }

  private static Set<String> listed(ListGroupsOptions options, String... among) throws Exception {
    Set<String> known = new TreeSet<>(Arrays.asList(among));
    return get(admin.listGroups(options).all()).stream()
        .map(GroupListing::groupId)
        .filter(known::contains)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static GroupListing listing(String group) throws Exception {
    return get(admin.listGroups().all()).stream()
        .filter(each -> each.groupId().equals(group))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void groupsAreListedWithTheirStatesAndByThem() throws Exception {
    alter("list-offsets", Map.of(T0, 1L));
    try (var consumer = stage.consumer("list-live", "c1", Map.of())) {
      consumer.subscribe(List.of("t"));
      pollUntil(consumer, 2);

      assertThat(listing("list-live"))
          .extracting(GroupListing::protocol, GroupListing::groupState, GroupListing::type)
          .containsExactly(
              "consumer", Optional.of(GroupState.STABLE), Optional.of(GroupType.CLASSIC));
      assertThat(listing("list-offsets"))
          .extracting(GroupListing::protocol, GroupListing::isSimpleConsumerGroup)
          .containsExactly("", true);
      String[] both = {"list-live", "list-offsets"};
      assertThat(listed(new ListGroupsOptions().inGroupStates(Set.of(GroupState.EMPTY)), both))
          .containsExactly("list-offsets");
      assertThat(listed(new ListGroupsOptions().withTypes(Set.of(GroupType.CLASSIC)), both))
          .containsExactly("list-live", "list-offsets");
      assertThat(listed(new ListGroupsOptions().withTypes(Set.of(GroupType.CONSUMER)), both))
          .isEmpty();
      assertThat(listed(ListGroupsOptions.forConsumerGroups(), both))
          .containsExactly("list-live", "list-offsets");
    }
  }

  @Test
  void aLiveGroupIsDescribedWithItsMembersAndTheirPartitions() throws Exception {
    try (var consumer = stage.consumer("describe", "c1", Map.of())) {
      consumer.subscribe(List.of("t"));
      pollUntil(consumer, 2);

      ConsumerGroupDescription group =
          get(admin.describeConsumerGroups(List.of("describe")).all()).get("describe");

      assertThat(group.groupState()).isEqualTo(GroupState.STABLE);
      assertThat(group.type()).isEqualTo(GroupType.CLASSIC);
      assertThat(group.partitionAssignor()).isEqualTo("range");
      assertThat(group.isSimpleConsumerGroup()).isFalse();
      assertThat(group.coordinator().port()).isEqualTo(stage.node.address().getPort());
      assertThat(group.authorizedOperations()).isNull();
      assertThat(group.members()).hasSize(1);
      MemberDescription member = group.members().iterator().next();
      assertThat(member.consumerId()).startsWith("c1-");
      assertThat(member.clientId()).isEqualTo("c1");
      assertThat(member.host()).isEqualTo("/127.0.0.1");
      assertThat(member.groupInstanceId()).isEmpty();
      assertThat(member.assignment().topicPartitions()).containsExactlyInAnyOrder(T0, T1);
    }
    assertThat(get(admin.describeConsumerGroups(List.of("describe")).all()).get("describe"))
        .extracting(ConsumerGroupDescription::groupState, each -> each.members().size())
        .containsExactly(GroupState.EMPTY, 0);
    assertThat(get(admin.describeClassicGroups(List.of("describe")).all()).get("describe"))
        .extracting(each -> each.protocol())
        .isEqualTo("consumer");
  }

  @Test
  void aStaticMemberIsDescribedAndRemovedByItsInstanceId() throws Exception {
    Map<String, Object> instance = Map.of(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "i");
    try (var consumer = stage.consumer("static", "c1", instance)) {
      consumer.subscribe(List.of("t"));
      pollUntil(consumer, 2);
    }
    ConsumerGroupDescription group =
        get(admin.describeConsumerGroups(List.of("static")).all()).get("static");
    assertThat(group.members()).hasSize(1);
    assertThat(group.members().iterator().next().groupInstanceId()).hasValue("i");

    get(
        admin
            .removeMembersFromConsumerGroup(
                "static",
                new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("i"))))
            .all());

    assertThat(listing("static").groupState()).hasValue(GroupState.EMPTY);
  }

  @Test
  void aGroupThatNobodyKnowsIsNotFound() throws Exception {
    assertFails(
        admin.describeConsumerGroups(List.of("nobody")).all(), GroupIdNotFoundException.class);
    assertThat(offsets("nobody")).isEmpty();
    assertFails(
        admin.deleteConsumerGroups(List.of("nobody")).all(), GroupIdNotFoundException.class);
    assertFails(
        admin.deleteConsumerGroupOffsets("nobody", Set.of(T0)).all(),
        GroupIdNotFoundException.class);
  }

  @Test
  void positionsAreAlteredReadAndDeletedWhileNobodyWantsThem() throws Exception {
    alter("offsets", Map.of(T0, 42L, T1, 7L));
    assertThat(offsets("offsets"))
        .isEqualTo(Map.of(T0, new OffsetAndMetadata(42, "m"), T1, new OffsetAndMetadata(7, "m")));

    get(admin.deleteConsumerGroupOffsets("offsets", Set.of(T0)).all());
    assertThat(offsets("offsets")).isEqualTo(Map.of(T1, new OffsetAndMetadata(7, "m")));
    assertFails(
        admin
            .deleteConsumerGroupOffsets("offsets", Set.of(new TopicPartition("t", 99)))
            .partitionResult(new TopicPartition("t", 99)),
        UnknownTopicOrPartitionException.class);

    try (var consumer = stage.consumer("offsets", "c1", Map.of())) {
      consumer.subscribe(List.of("t"));
      pollUntil(consumer, 2);
      assertThat(consumer.position(T1)).isEqualTo(7);
      assertFails(
          admin.deleteConsumerGroupOffsets("offsets", Set.of(T1)).partitionResult(T1),
          GroupSubscribedToTopicException.class);
      assertFails(
          admin.alterConsumerGroupOffsets("offsets", Map.of(T1, new OffsetAndMetadata(0))).all(),
          UnknownMemberIdException.class);
      assertFails(
          admin.deleteConsumerGroups(List.of("offsets")).all(), GroupNotEmptyException.class);
    }
    assertThat(offsets("offsets")).isEqualTo(Map.of(T1, new OffsetAndMetadata(7, "m")));
  }

  @Test
  void aDeletedGroupIsGoneFromZookeeperAndMayBeginAnew() throws Exception {
    try (var consumer = stage.consumer("delete", "c1", Map.of())) {
      consumer.subscribe(List.of("t"));
      pollUntil(consumer, 2);
      consumer.commitSync(Map.of(T0, new OffsetAndMetadata(42), T1, new OffsetAndMetadata(7)));
    }
    await().until(() -> listing("delete").groupState().orElseThrow() == GroupState.EMPTY);
    String path = "/rebalancer/groups/delete";
    assertThat(stage.admin.checkExists().forPath(path + "/offsets/t/0")).isNotNull();

    get(admin.deleteConsumerGroups(List.of("delete")).all());

    assertThat(stage.admin.checkExists().forPath(path)).isNull();
    assertFails(
        admin.describeConsumerGroups(List.of("delete")).all(), GroupIdNotFoundException.class);
    assertThat(offsets("delete")).isEmpty();
    alter("delete", Map.of(T0, 1L));
    assertThat(offsets("delete")).isEqualTo(Map.of(T0, new OffsetAndMetadata(1, "m")));
  }

  @Test
  void blocksOfPositionsAreRewrittenOrRemovedWithTheirTopic() throws Exception {
    TopicPartition w1 = new TopicPartition("wide", 1);
    TopicPartition w2 = new TopicPartition("wide", 2);
    TopicPartition w100 = new TopicPartition("wide", 100);
    alter("blocks", Map.of(T0, 1L, w1, 1L, w2, 2L, w100, 100L));
    String path = "/rebalancer/groups/blocks/offsets";

    get(admin.deleteConsumerGroupOffsets("blocks", Set.of(T0, w1, w100)).all());

    assertThat(stage.admin.getChildren().forPath(path)).containsExactly("wide");
    assertThat(stage.admin.getChildren().forPath(path + "/wide")).containsExactly("0");
    assertThat(new String(stage.admin.getData().forPath(path + "/wide/0"), UTF_8))
        .contains("\"2\":{\"offset\":2,")
        .doesNotContain("\"1\":");
    assertThat(offsets("blocks")).isEqualTo(Map.of(w2, new OffsetAndMetadata(2, "m")));
    alter("blocks", Map.of(T0, 5L, w100, 6L));
    assertThat(offsets("blocks")).hasSize(3);
  }

  @Test
  void theClusterIsThisCoordinatorAlone() throws Exception {
    var cluster = admin.describeCluster();

    assertThat(get(cluster.nodes()))
        .extracting(node -> node.id() + " " + node.host() + " " + node.port())
        .containsExactly("1000000000 127.0.0.1 " + stage.node.address().getPort());
    assertThat(get(cluster.controller()).id()).isEqualTo(1_000_000_000);
    assertThat(get(cluster.clusterId())).isEqualTo("rebalancer");
  }

  /** The client asks for 2,000 partitions at a time and goes on where the answer ended. */
  @Test
  void topicsAreDescribedPageByPage() throws Exception {
    Map<String, TopicDescription> topics =
        get(admin.describeTopics(List.of("t", "wide")).allTopicNames());

    assertThat(topics.get("t").partitions()).hasSize(2);
    assertThat(topics.get("wide").partitions())
        .hasSize(2_500)
        .allMatch(each -> each.leader().id() == 1_000_000_000);
    assertFails(
        admin.describeTopics(List.of("absent")).allTopicNames(),
        UnknownTopicOrPartitionException.class);
  }

  @Test
  void internalTopicsAreCalledThat() throws Exception {
    ListTopicsOptions all = new ListTopicsOptions().listInternal(true);

    assertThat(get(admin.listTopics(all).listings()))
        .filteredOn(TopicListing::isInternal)
        .extracting(TopicListing::name)
        .containsExactly("__consumer_offsets");
    assertThat(get(admin.describeTopics(List.of("t", "__consumer_offsets")).allTopicNames()))
        .hasEntrySatisfying("t", topic -> assertThat(topic.isInternal()).isFalse())
        .hasEntrySatisfying("__consumer_offsets", topic -> assertThat(topic.isInternal()).isTrue());
  }

  @Test
  void whatIsNotOfferedIsRefusedByTheClientItself() {
    assertFails(
        admin.createTopics(List.of(new NewTopic("new", 1, (short) 1))).all(),
        UnsupportedVersionException.class);
    assertFails(admin.describeShareGroups(List.of("g")).all(), UnsupportedVersionException.class);
    assertFails(admin.listTransactions().all(), UnsupportedVersionException.class);
  }
}
