package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.testkit.LogCapture;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.junit.jupiter.api.Test;

class GroupMessagesTest {

  private static final Subscription WANTED = Subscription.copyOf(Map.of("t", 1));
  private static final Assignment SHARE = Assignment.of("t", PartitionSet.of(2));
  private static final Strategy STICKY = Strategies.named("sticky");

  private static final CoordinatorClientConfig CONFIG =
      CoordinatorClientConfig.of(List.of(InetSocketAddress.createUnresolved("c", 1)))
          .withAssignmentStrategy("sticky");

  private final GroupMessages messages = new GroupMessages(new GroupId("g"), "a", CONFIG, STICKY);

  private static JoinGroupResponseMember member(String id, byte[] metadata) {
    return new JoinGroupResponseMember().setMemberId(id).setMetadata(metadata);
  }

  private List<Member> read(JoinGroupResponseMember... group) {
    JoinGroupResponseData answer =
        new JoinGroupResponseData()
            .setGenerationId(8)
            .setLeader("a")
            .setMemberId("a")
            .setMembers(Arrays.asList(group));
    return ((MemberStrategy.Plan) messages.joined(1, answer, 0, 0).plan()).members();
  }

  @Test
  void aJoinNamesItsStrategyAndSaysItsClaim() {
    var protocol =
        messages
            .join(new MemberEffect.SendJoin(1, null, WANTED, Claim.of(SHARE, 7)), "told", 0)
            .protocols()
            .iterator()
            .next();

    assertThat(protocol.name()).isEqualTo("sticky");
    assertThat(protocol.metadata()).isEqualTo(STICKY.metadata(WANTED, Claim.of(SHARE, 7)));
  }

  @Test
  void aMemberThatCannotBeReadHoldsUpNobodyAndIsComplainedOfOnce() {
    JoinGroupResponseMember good =
        member("a", STICKY.metadata(WANTED, Claim.of(SHARE, 7))).setGroupInstanceId("i");
    JoinGroupResponseMember noSubscription = member("b", new byte[] {0});
    JoinGroupResponseMember noClaim =
        member("c", EmbeddedProtocol.encode(List.of("t"), Claim.NONE, new byte[] {1}));
    try (LogCapture log = LogCapture.of(GroupMessages.class)) {

      List<Member> first = read(good, noSubscription, noClaim);
      List<Member> second = read(good, noSubscription, noClaim);

      assertThat(first)
          .containsExactly(
              Member.of("a", Set.of("t")).withInstanceId("i").owning(SHARE, 7),
              Member.of("b", Set.of()),
              Member.of("c", Set.of("t")));
      assertThat(second).isEqualTo(first);
      assertThat(log.messages())
          .satisfiesExactlyInAnyOrder(
              line ->
                  assertThat(line)
                      .startsWith("WARN member b of group g gets no partitions, its subscription"),
              line ->
                  assertThat(line)
                      .startsWith("WARN member c of group g claims nothing, its claim"));
    }
  }

  @Test
  void racksOfPartitionsAreThoseOfTheirReplicas() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.brokers().add(new MetadataResponseBroker().setNodeId(1).setRack("r1"));
    answer.brokers().add(new MetadataResponseBroker().setNodeId(2).setRack("r2"));
    answer.brokers().add(new MetadataResponseBroker().setNodeId(3));
    answer
        .topics()
        .add(
            new MetadataResponseTopic()
                .setName("t")
                .setPartitions(
                    List.of(partition(2, 3, 9), partition(0, 1, 2), partition(1, 2, 3))));

    assertThat(GroupMessages.topicsKnown(1, answer).topics())
        .isEqualTo(
            new KnownTopics(
                Map.of("t", PartitionSet.range(0, 3)),
                Map.of("t", List.of(Set.of("r1", "r2"), Set.of("r2"), Set.of()))));
  }

  @Test
  void serversWithoutRacksGivePartitionsNone() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.brokers().add(new MetadataResponseBroker().setNodeId(1));
    answer
        .topics()
        .add(new MetadataResponseTopic().setName("t").setPartitions(List.of(partition(0, 1))));

    assertThat(GroupMessages.topicsKnown(1, answer).topics())
        .isEqualTo(KnownTopics.withoutRacks(Map.of("t", PartitionSet.of(0))));
  }

  @Test
  void aPatternMayMatchWhatIsThereAndNotInternal() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.topics().add(new MetadataResponseTopic().setName("t"));
    answer.topics().add(new MetadataResponseTopic().setName("__own").setIsInternal(true));
    answer.topics().add(new MetadataResponseTopic().setName("gone").setErrorCode((short) 3));
    GroupMessages all =
        new GroupMessages(new GroupId("g"), "a", CONFIG.withExcludeInternalTopics(false), STICKY);

    assertThat(GroupMessages.allTopics().topics()).as("null asks for all").isNull();
    assertThat(messages.topicsListed(4, answer))
        .isEqualTo(new MemberEvent.TopicsListed(4, Set.of("t")));
    assertThat(all.topicsListed(4, answer))
        .isEqualTo(new MemberEvent.TopicsListed(4, Set.of("t", "__own")));
  }

  @Test
  void anAnswerThatFailedIsNotAListOfNoTopics() {
    MetadataResponseData answer = new MetadataResponseData().setErrorCode((short) 129);

    assertThatThrownBy(() -> messages.topicsListed(4, answer))
        .hasMessage("topics not listed: REBOOTSTRAP_REQUIRED (129)");
  }

  private static MetadataResponsePartition partition(int number, Integer... replicas) {
    return new MetadataResponsePartition()
        .setPartitionIndex(number)
        .setReplicaNodes(Arrays.asList(replicas));
  }
}
