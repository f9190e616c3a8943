package io.rebalancer.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The admin side and positions by version, field and error; each test has groups of its own. */
class AdminOverTheWireIT {

  private static final int ALL = 2_000;

  private static Stage stage;
  private static WireClient client;

  @BeforeAll
  static void start() throws Exception {
    stage = Stage.withCoordinator();
    stage.topic("t", 3);
    stage.topic("u", 2);
    client = new WireClient(stage.node);
    await().until(() -> names(page(ALL, null)).size() == 2);
  }

  @AfterAll
  static void stop() throws Exception {
    client.close();
    stage.close();
  }

  private static OffsetCommitRequestData commit(String group, String topic, String... metadata) {
    OffsetCommitRequestTopic part = new OffsetCommitRequestTopic().setName(topic);
    for (int i = 0; i < metadata.length; i++) {
      part.partitions()
          .add(
              new OffsetCommitRequestPartition()
                  .setPartitionIndex(i)
                  .setCommittedOffset(10 + i)
                  .setCommittedMetadata(metadata[i]));
    }
    return new OffsetCommitRequestData()
        .setGroupId(group)
        .setGenerationIdOrMemberEpoch(-1)
        .setTopics(List.of(part));
  }

  /** Error codes, of all partitions in order. */
  private static List<Integer> commit(int version, OffsetCommitRequestData data) throws Exception {
    OffsetCommitResponseData answer = client.ask(ApiKeys.OFFSET_COMMIT, version, data);
    return answer.topics().stream()
        .flatMap(topic -> topic.partitions().stream())
        .map(partition -> (int) partition.errorCode())
        .toList();
  }

  private static DescribedGroup describe(int version, String group) throws Exception {
    DescribeGroupsResponseData answer =
        client.ask(
            ApiKeys.DESCRIBE_GROUPS,
            version,
            new DescribeGroupsRequestData().setGroups(List.of(group)));
    return answer.groups().get(0);
  }

  private static String codes(DeleteGroupsResponseData answer) {
    return answer.results().stream().map(r -> r.groupId() + " " + r.errorCode()).toList() + "";
  }

  private static Uuid id(String topic) throws Exception {
    MetadataResponseData answer =
        client.ask(
            ApiKeys.METADATA,
            13,
            new MetadataRequestData()
                .setTopics(List.of(new MetadataRequestTopic().setName(topic))));
    return answer.topics().iterator().next().topicId();
  }

  /** Joined as the only member, first round; its leader has not synced yet. */
  private static JoinGroupResponseData join(String group) throws Exception {
    JoinGroupRequestData join =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setSessionTimeoutMs(6_000)
            .setRebalanceTimeoutMs(6_000)
            .setProtocolType("consumer");
    join.protocols()
        .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[] {1}));
    return client.ask(ApiKeys.JOIN_GROUP, 3, join);
  }

  @Test
  void aGroupThatNobodyKnowsIsDeadAndFromVersion6OnAnErrorToo() throws Exception {
    assertThat(describe(5, "nobody"))
        .extracting(DescribedGroup::errorCode, DescribedGroup::groupState)
        .containsExactly((short) 0, "Dead");
    assertThat(describe(6, "nobody"))
        .extracting(
            DescribedGroup::errorCode, DescribedGroup::groupState, DescribedGroup::errorMessage)
        .containsExactly((short) 69, "Dead", "Group nobody not found.");
    assertThat(describe(6, "no/path").errorCode()).isEqualTo((short) 24);
  }

  @Test
  void whatMembersExchangeIsNotShownBeforeTheGroupIsStable() throws Exception {
    JoinGroupResponseData joined = join("completing");

    DescribedGroup group = describe(6, "completing");

    assertThat(group.groupState()).isEqualTo("CompletingRebalance");
    assertThat(group.protocolType()).isEqualTo("consumer");
    assertThat(group.protocolData()).isEmpty();
    assertThat(group.authorizedOperations()).isEqualTo(Integer.MIN_VALUE);
    assertThat(group.members()).hasSize(1);
    var member = group.members().get(0);
    assertThat(member.memberId()).isEqualTo(joined.memberId());
    assertThat(member.clientId()).isEqualTo("wire");
    assertThat(member.clientHost()).isEqualTo("/127.0.0.1");
    assertThat(member.memberMetadata()).isEmpty();
    assertThat(member.memberAssignment()).isEmpty();
  }

  @Test
  void whileAGroupPreparesItsMembersAreShownWithWhatTheyHadLast() throws Exception {
    JoinGroupResponseData first = join("preparing");
    SyncGroupRequestData sync =
        new SyncGroupRequestData()
            .setGroupId("preparing")
            .setMemberId(first.memberId())
            .setGenerationId(first.generationId())
            .setAssignments(
                List.of(
                    new SyncGroupRequestAssignment()
                        .setMemberId(first.memberId())
                        .setAssignment(new byte[] {7})));
    client.ask(ApiKeys.SYNC_GROUP, 3, sync);
    try (WireClient second = new WireClient(stage.node)) {
      JoinGroupRequestData join =
          new JoinGroupRequestData()
              .setGroupId("preparing")
              .setSessionTimeoutMs(6_000)
              .setProtocolType("consumer");
      join.protocols()
          .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[] {1}));
      second.send(ApiKeys.JOIN_GROUP, 3, join);
      await().until(() -> describe(6, "preparing").members().size() == 2);

      DescribedGroup group = describe(6, "preparing");

      assertThat(group.groupState()).isEqualTo("PreparingRebalance");
      assertThat(group.members()).allSatisfy(m -> assertThat(m.memberMetadata()).isEmpty());
      assertThat(group.members())
          .filteredOn(m -> m.memberId().equals(first.memberId()))
          .singleElement()
          .satisfies(m -> assertThat(m.memberAssignment()).containsExactly(7));
    }
  }

  @Test
  void aGroupNamedTwiceIsDeletedOnce() throws Exception {
    commit(9, commit("twice", "t", ""));

    DeleteGroupsResponseData answer =
        client.ask(
            ApiKeys.DELETE_GROUPS,
            3,
            new DeleteGroupsRequestData().setGroupsNames(List.of("twice", "twice")));

    assertThat(answer.results())
        .extracting(r -> r.groupId() + " " + r.errorCode())
        .containsExactly("twice 0");
  }

  @Test
  void aCursorOfATopicThatIsNotAskedForIsRefused() throws Exception {
    DescribeTopicPartitionsResponseData answer =
        client.ask(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            0,
            new DescribeTopicPartitionsRequestData()
                .setTopics(
                    List.of(new TopicRequest().setName("t"), new TopicRequest().setName("u")))
                .setCursor(
                    new DescribeTopicPartitionsRequestData.Cursor()
                        .setTopicName("s")
                        .setPartitionIndex(0)));

    assertThat(answer.topics())
        .extracting(topic -> topic.name() + " " + topic.errorCode())
        .containsExactly("t 42", "u 42");
  }

  @Test
  void aTopicNameThatCannotBeIsInvalid() throws Exception {
    DescribeTopicPartitionsResponseData answer =
        client.ask(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            0,
            new DescribeTopicPartitionsRequestData()
                .setTopics(List.of(new TopicRequest().setName("a/b"))));

    assertThat(answer.topics())
        .extracting(topic -> topic.name() + " " + topic.errorCode())
        .containsExactly("a/b 17");
  }

  @Test
  void groupsAreFilteredWithoutRegardToCase() throws Exception {
    commit(9, commit("listed", "t", ""));

    assertThat(listed(5, new ListGroupsRequestData())).contains("listed Empty classic");
    assertThat(listed(5, states("eMPTY"))).contains("listed Empty classic");
    assertThat(listed(5, states("Stable", "nonsense"))).doesNotContain("listed Empty classic");
    assertThat(listed(5, new ListGroupsRequestData().setTypesFilter(List.of("CLASSIC"))))
        .contains("listed Empty classic");
    assertThat(listed(5, new ListGroupsRequestData().setTypesFilter(List.of("share")))).isEmpty();
    assertThat(listed(4, states("empty"))).contains("listed Empty ");
    assertThat(listed(3, new ListGroupsRequestData())).contains("listed  ");
  }

  private static ListGroupsRequestData states(String... states) {
    return new ListGroupsRequestData().setStatesFilter(List.of(states));
  }

  private static List<String> listed(int version, ListGroupsRequestData data) throws Exception {
    ListGroupsResponseData answer = client.ask(ApiKeys.LIST_GROUPS, version, data);
    return answer.groups().stream()
        .map(group -> group.groupId() + " " + group.groupState() + " " + group.groupType())
        .toList();
  }

  @Test
  void groupsAreDeletedOneByOneInTheOrderAsked() throws Exception {
    commit(9, commit("gone", "t", ""));
    join("joined");

    DeleteGroupsResponseData answer =
        client.ask(
            ApiKeys.DELETE_GROUPS,
            2,
            new DeleteGroupsRequestData()
                .setGroupsNames(List.of("joined", "gone", "nobody", "no/path")));

    assertThat(codes(answer)).isEqualTo("[joined 68, gone 0, nobody 69, no/path 24]");
  }

  @Test
  void noGroupIsOneOfTheNewProtocol() throws Exception {
    commit(9, commit("classic", "t", ""));
    ConsumerGroupDescribeResponseData answer =
        client.ask(
            ApiKeys.CONSUMER_GROUP_DESCRIBE,
            1,
            new ConsumerGroupDescribeRequestData().setGroupIds(List.of("classic", "nobody")));

    assertThat(answer.groups())
        .extracting(group -> group.groupId() + " " + group.errorCode())
        .containsExactly("classic 69", "nobody 69");
  }

  @Test
  void positionsOfPartitionsThatAreNotThereAreNotDeleted() throws Exception {
    commit(9, commit("offsets", "t", "", ""));
    OffsetDeleteRequestTopicCollection topics = new OffsetDeleteRequestTopicCollection();
    topics.add(offsetsOf("t", 0, 7));
    topics.add(offsetsOf("absent", 0));

    OffsetDeleteResponseData answer =
        client.ask(
            ApiKeys.OFFSET_DELETE,
            0,
            new OffsetDeleteRequestData().setGroupId("offsets").setTopics(topics));
    OffsetDeleteResponseData absent =
        client.ask(
            ApiKeys.OFFSET_DELETE,
            0,
            new OffsetDeleteRequestData().setGroupId("nobody").setTopics(topics.duplicate()));

    assertThat(answer.errorCode()).isEqualTo((short) 0);
    assertThat(answer.topics())
        .flatExtracting(
            topic ->
                topic.partitions().stream()
                    .map(p -> topic.name() + p.partitionIndex() + " " + p.errorCode())
                    .toList())
        .containsExactly("t0 0", "t7 3", "absent0 3");
    assertThat(absent.errorCode()).isEqualTo((short) 69);
    assertThat(absent.topics()).isEmpty();
    assertThat(fetched(9, named("offsets", "t", 0, 1))).containsExactly("0: -1 0", "1: 11 0");
  }

  private static OffsetDeleteRequestTopic offsetsOf(String topic, int... partitions) {
    return new OffsetDeleteRequestTopic()
        .setName(topic)
        .setPartitions(
            IntStream.of(partitions)
                .mapToObj(each -> new OffsetDeleteRequestPartition().setPartitionIndex(each))
                .toList());
  }

  @Test
  void onlyBrokersCanBeDescribed() throws Exception {
    DescribeClusterResponseData controllers =
        client.ask(
            ApiKeys.DESCRIBE_CLUSTER,
            1,
            new DescribeClusterRequestData().setEndpointType((byte) 2));
    DescribeClusterResponseData nonsense =
        client.ask(
            ApiKeys.DESCRIBE_CLUSTER,
            1,
            new DescribeClusterRequestData().setEndpointType((byte) 9));

    assertThat(controllers.errorCode()).isEqualTo((short) 114);
    assertThat(nonsense.errorCode()).isEqualTo((short) 115);
    assertThat(controllers.brokers()).isEmpty();
  }

  private static DescribeTopicPartitionsResponseData page(int limit, Cursor cursor, String... names)
      throws Exception {
    return client.ask(
        ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
        0,
        new DescribeTopicPartitionsRequestData()
            .setResponsePartitionLimit(limit)
            .setCursor(cursor)
            .setTopics(List.of(names).stream().map(n -> new TopicRequest().setName(n)).toList()));
  }

  /** Topic, error, partitions. */
  private static List<String> names(DescribeTopicPartitionsResponseData page) {
    return page.topics().stream()
        .map(
            topic ->
                topic.name()
                    + " "
                    + topic.errorCode()
                    + " "
                    + topic.partitions().stream().map(p -> p.partitionIndex()).toList())
        .toList();
  }

  private static Cursor cursor(String topic, int partition) {
    return new Cursor().setTopicName(topic).setPartitionIndex(partition);
  }

  @Test
  void topicsComePageByPageInTheOrderOfTheirNames() throws Exception {
    assertThat(names(page(ALL, null))).containsExactly("t 0 [0, 1, 2]", "u 0 [0, 1]");
    assertThat(names(page(ALL, null, "u", "absent", "t")))
        .containsExactly("absent 3 []", "t 0 [0, 1, 2]", "u 0 [0, 1]");

    var first = page(2, null);
    assertThat(names(first)).containsExactly("t 0 [0, 1]");
    assertThat(first.nextCursor().topicName() + first.nextCursor().partitionIndex())
        .isEqualTo("t2");
    var second = page(2, cursor("t", 2));
    assertThat(names(second)).containsExactly("t 0 [2]", "u 0 [0]");
    var third = page(2, cursor("u", 1));
    assertThat(names(third)).containsExactly("u 0 [1]");
    assertThat(third.nextCursor()).isNull();

    var whole = page(3, null);
    assertThat(names(whole)).containsExactly("t 0 [0, 1, 2]");
    assertThat(whole.nextCursor().topicName() + whole.nextCursor().partitionIndex())
        .isEqualTo("u0");
    assertThat(names(page(0, null))).as("one at least").containsExactly("t 0 [0]");
    assertThat(names(page(ALL, cursor("t", -1), "t"))).containsExactly("t 42 []");
  }

  @Test
  void aCommitIsRefusedPartitionByPartition() throws Exception {
    String tooLong = "x".repeat(4_097);
    assertThat(commit(9, commit("limits", "t", "é".repeat(4_096), tooLong, "", "", "")))
        .as("4,096 characters, whatever their bytes; t has three partitions")
        .containsExactly(0, 12, 0, 3, 3);
    assertThat(commit(9, commit("limits", "absent", ""))).containsExactly(3);
    assertThat(
            commit(
                9,
                commit("limits", "t", tooLong, "")
                    .setGenerationIdOrMemberEpoch(1)
                    .setMemberId("m")))
        .as("the group is asked before the length")
        .containsExactly(25, 25);
    assertThat(fetched(9, named("limits", "t", 0, 1, 2)))
        .containsExactly("0: 10 0", "1: -1 0", "2: 12 0");
  }

  @Test
  void anUnknownGroupIsAnErrorByVersion() throws Exception {
    OffsetCommitRequestData member =
        commit("unknown", "t", "").setGenerationIdOrMemberEpoch(1).setMemberId("m");
    assertThat(commit(8, member)).containsExactly(22);
    assertThat(commit(9, member)).containsExactly(69);
    assertThat(commit(9, commit("unknown", "t", ""))).as("made by it").containsExactly(0);
    assertThat(commit(9, member)).containsExactly(25);
    join("members");
    assertThat(commit(9, commit("members", "t", ""))).as("with members").containsExactly(25);
  }

  @Test
  void topicsAreNamedByIdFromVersion10On() throws Exception {
    OffsetCommitRequestData commit = commit("ids", "", "", "");
    commit.topics().get(0).setTopicId(id("t"));
    assertThat(commit(10, commit)).containsExactly(0, 0);
    commit.topics().get(0).setTopicId(Uuid.randomUuid());
    assertThat(commit(10, commit)).containsExactly(100, 100);

    OffsetFetchRequestTopics known =
        new OffsetFetchRequestTopics().setTopicId(id("t")).setPartitionIndexes(List.of(0, 1, 2));
    OffsetFetchRequestTopics unknown =
        new OffsetFetchRequestTopics()
            .setTopicId(Uuid.randomUuid())
            .setPartitionIndexes(List.of(0));
    OffsetFetchRequestGroup group =
        new OffsetFetchRequestGroup().setGroupId("ids").setTopics(List.of(known, unknown));
    assertThat(fetched(10, group)).containsExactly("0: 10 0", "1: 11 0", "2: -1 0", "0: -1 100");
    OffsetFetchResponseGroup all = fetch(10, group.duplicate().setTopics(null));
    assertThat(all.topics()).extracting(topic -> topic.topicId()).containsExactly(id("t"));
    assertThat(fetched(9, named("ids", "t", 1))).as("by name").containsExactly("1: 11 0");
  }

  private static OffsetFetchRequestGroup named(String group, String topic, Integer... partitions) {
    return new OffsetFetchRequestGroup()
        .setGroupId(group)
        .setTopics(
            List.of(
                new OffsetFetchRequestTopics()
                    .setName(topic)
                    .setPartitionIndexes(List.of(partitions))));
  }

  private static OffsetFetchResponseGroup fetch(int version, OffsetFetchRequestGroup group)
      throws Exception {
    OffsetFetchResponseData answer =
        client.ask(
            ApiKeys.OFFSET_FETCH,
            version,
            new OffsetFetchRequestData().setGroups(List.of(group)).setRequireStable(true));
    return answer.groups().get(0);
  }

  /** Partition, position, error. */
  private static List<String> fetched(int version, OffsetFetchRequestGroup group) throws Exception {
    return fetch(version, group).topics().stream()
        .flatMap(topic -> topic.partitions().stream())
        .map(p -> p.partitionIndex() + ": " + p.committedOffset() + " " + p.errorCode())
        .toList();
  }

  @Test
  void aRetentionThatAnOldClientSaysIsKept() throws Exception {
    OffsetCommitRequestData data = commit("retention", "t", "").setRetentionTimeMs(86_400_000);
    long before = System.currentTimeMillis();
    assertThat(commit(4, data)).containsExactly(0);

    String stored =
        new String(
            stage.admin.getData().forPath("/rebalancer/groups/retention/offsets/t/0"), UTF_8);

    assertThat(stored).matches(".*\"expireTimestamp\":\\d+}.*");
    long expires = Long.parseLong(stored.replaceAll(".*\"expireTimestamp\":(\\d+).*", "$1"));
    assertThat(expires - before).isBetween(86_400_000L, 86_400_000L + 60_000);
  }
}
