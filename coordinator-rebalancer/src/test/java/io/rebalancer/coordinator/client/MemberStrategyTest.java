package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What members claim, in the bytes of kafka-clients 4.4.0 both ways. */
class MemberStrategyTest {

  private static final Subscription WANTED = Subscription.copyOf(Map.of("t", 1));
  private static final Assignment ODD = Assignment.of("t", PartitionSet.of(1, 3, 5));
  private static final Assignment EVEN = Assignment.of("t", PartitionSet.of(0, 2, 4));
  private static final Map<String, Assignment> SPLIT = Map.of("a", ODD, "b", EVEN);
  private static final KnownTopics SIX =
      KnownTopics.withoutRacks(Map.of("t", PartitionSet.range(0, 6)));

  private final List<String> complaints = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(strings = {"sticky", "cooperative-sticky"})
  void kafkasAssignorsStickToWhatOurMembersClaim(String name) {
    Strategy strategy = Strategies.named(name);

    Map<String, Assignment> shares =
        assignedByKafka(
            name,
            Map.of(
                "a", theirs(strategy.metadata(WANTED, Claim.of(ODD, 7))),
                "b", theirs(strategy.metadata(WANTED, Claim.of(EVEN, 7)))));

    assertThat(shares).isEqualTo(SPLIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sticky", "cooperative-sticky"})
  void kafkasAssignorsBelieveTheYoungerOfOurClaims(String name) {
    Strategy strategy = Strategies.named(name);
    Assignment all = Assignment.of("t", PartitionSet.range(0, 6));

    Map<String, Assignment> shares =
        assignedByKafka(
            name,
            Map.of(
                "a", theirs(strategy.metadata(WANTED, Claim.of(ODD, 8))),
                "b", theirs(strategy.metadata(WANTED, Claim.of(all, 7)))));

    assertThat(shares).isEqualTo(SPLIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sticky", "cooperative-sticky"})
  void ourGroupLeaderSticksToWhatKafkasMembersClaim(String name) {
    Map<MemberId, Assignment> shares =
        shares(name, joined("a", ofKafka(name, ODD, 7)), joined("b", ofKafka(name, EVEN, 7)));

    assertThat(shares).isEqualTo(Map.of(new MemberId("a"), ODD, new MemberId("b"), EVEN));
    assertThat(complaints).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sticky", "cooperative-sticky", "uniform"})
  void ourGroupLeaderSticksToWhatOurMembersClaim(String name) {
    Strategy strategy = Strategies.named(name);

    Map<MemberId, Assignment> shares =
        shares(
            name,
            joined("a", strategy.metadata(WANTED, Claim.of(ODD, 7))),
            joined("b", strategy.metadata(WANTED, Claim.of(EVEN, 7))));

    assertThat(shares).isEqualTo(Map.of(new MemberId("a"), ODD, new MemberId("b"), EVEN));
  }

  @ParameterizedTest
  @CsvSource({
    "sticky, 8, 7, a",
    "sticky, 7, 8, b",
    "sticky, 7, -1, a",
    "sticky, -1, 7, b",
    "sticky, 7, 7, a",
    "uniform, 8, 7, a",
    "uniform, 7, 8, b",
    "uniform, 7, -1, a",
    "uniform, -1, 7, b"
  })
  void ofTwoThatClaimTheSameTheYoungerGenerationIsBelieved(
      String name, int ofA, int ofB, String owner) {
    Strategy strategy = Strategies.named(name);

    Map<MemberId, Assignment> shares =
        shares(
            name,
            joined("a", strategy.metadata(WANTED, Claim.of(ODD, ofA))),
            joined("b", strategy.metadata(WANTED, Claim.of(ODD, ofB))));

    assertThat(shares).containsEntry(new MemberId(owner), ODD);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cooperative-sticky", "uniform", "weighted"})
  void aCooperativeClaimHoldsBackWhatIsToChangeHandsUnlessItIsOlderThanTheNewOwners(String name) {
    Strategy strategy = Strategies.named(name);
    Assignment all = Assignment.of("t", PartitionSet.range(0, 6));
    byte[] allInSeven = strategy.metadata(WANTED, Claim.of(all, 7));

    Map<MemberId, Assignment> toANewOwner =
        shares(name, joined("a", strategy.metadata(WANTED, Claim.NONE)), joined("b", allInSeven));
    Map<MemberId, Assignment> toAYoungerOne =
        shares(
            name,
            joined("a", strategy.metadata(WANTED, Claim.of(ODD, 8))),
            joined("b", allInSeven));

    assertThat(toANewOwner.get(new MemberId("a"))).isEqualTo(Assignment.empty());
    assertThat(toANewOwner.get(new MemberId("b")).size()).isEqualTo(3);
    assertThat(toAYoungerOne).isEqualTo(Map.of(new MemberId("a"), ODD, new MemberId("b"), EVEN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cooperative-sticky", "uniform", "weighted"})
  void whatTwoClaimOfOneGenerationIsGivenToNobodyUntilOneHasLetGo(String name) {
    Strategy strategy = Strategies.named(name);

    Map<MemberId, Assignment> shares =
        shares(
            name,
            joined("a", strategy.metadata(WANTED, Claim.of(ODD, 7))),
            joined("b", strategy.metadata(WANTED, Claim.of(ODD, 7))));

    assertThat(shares.values()).allSatisfy(share -> assertThat(share.and(ODD).isEmpty()).isTrue());
  }

  @Test
  void whatWasLostIsClaimedOnlyBySticky() {
    Claim lost = Claim.of(ODD, 7).lost();

    assertThat(read("sticky", Strategies.named("sticky").metadata(WANTED, lost)))
        .isEqualTo(Member.of("m", Set.of("t")).owning(ODD, 7));
    for (String name : List.of("cooperative-sticky", "uniform")) {
      assertThat(read(name, Strategies.named(name).metadata(WANTED, lost)))
          .isEqualTo(Member.of("m", Set.of("t")));
    }
  }

  @Test
  void userDataIsThatOfKafkasAssignors() {
    Claim claim = Claim.of(ODD, 7);

    assertThat(userData("sticky", claim)).isEqualTo(ofKafka("sticky", ODD, 7).userData());
    assertThat(userData("cooperative-sticky", claim))
        .isEqualTo(ofKafka("cooperative-sticky", ODD, 7).userData());
    assertThat(userData("uniform", claim)).isNull();
    assertThat(userData("sticky", Claim.NONE))
        .isEqualTo(new StickyAssignor().subscriptionUserData(Set.of("t")));
    assertThat(userData("cooperative-sticky", Claim.NONE))
        .isEqualTo(new CooperativeStickyAssignor().subscriptionUserData(Set.of("t")));
  }

  @Test
  void stickyReadsTheUserDataAloneAndCooperativeTheGenerationWhereverItIs() {
    var owned = List.of(new TopicPartition("t", 2));
    var ofVersion1 =
        new ConsumerPartitionAssignor.Subscription(
            List.of("t"), ByteBuffer.allocate(4).putInt(0, 9), owned);

    assertThat(read("sticky", bytes(ofVersion1, 3))).isEqualTo(Member.of("m", Set.of("t")));
    assertThat(read("cooperative-sticky", bytes(ofVersion1, 1)))
        .isEqualTo(Member.of("m", Set.of("t")).owning(Assignment.of("t", PartitionSet.of(2)), 9));
  }

  @Test
  void stickyUserDataFromBeforeGenerationsIsAClaimOfNone() {
    Schema topic = new Schema(new Field("topic", Type.STRING), partitionsField());
    Schema old = new Schema(new Field("previous_assignment", new ArrayOf(topic)));
    Struct struct =
        new Struct(old)
            .set(
                "previous_assignment",
                new Object[] {
                  new Struct(topic).set("topic", "t").set("partitions", new Object[] {5, 1, 3})
                });
    ByteBuffer userData = ByteBuffer.allocate(struct.sizeOf());
    struct.writeTo(userData);

    assertThat(
            read(
                "sticky",
                bytes(
                    new ConsumerPartitionAssignor.Subscription(List.of("t"), userData.flip()), 3)))
        .isEqualTo(Member.of("m", Set.of("t")).owning(ODD, -1));
  }

  private static Field partitionsField() {
    return new Field("partitions", new ArrayOf(Type.INT32));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00",
        "ffffffff",
        "7fffffff",
        "00000001",
        "000000010001",
        "0000000100017400000009"
      })
  void aStickyClaimThatCannotBeReadIsNoneAndComplainedOf(String hex) {
    Member read = read("sticky", withUserData(hex));

    assertThat(read).isEqualTo(Member.of("m", Set.of("t")));
    assertThat(complaints)
        .singleElement()
        .asString()
        .startsWith("m claims nothing, its claim is unreadable: ");
  }

  @Test
  void aCooperativeClaimWithoutReadableGenerationStands() {
    var withoutGeneration =
        new ConsumerPartitionAssignor.Subscription(
            List.of("t"), ByteBuffer.allocate(1), List.of(new TopicPartition("t", 2)));

    assertThat(read("cooperative-sticky", bytes(withoutGeneration, 1)))
        .isEqualTo(Member.of("m", Set.of("t")).owning(Assignment.of("t", PartitionSet.of(2)), -1));
    assertThat(complaints).isEmpty();
  }

  @Test
  void instanceAndRackReachTheAssignor() {
    var withRack =
        new ConsumerPartitionAssignor.Subscription(
            List.of("t"), null, List.of(), 3, Optional.of("r1"));
    JoinedMember joined =
        new JoinedMember(
            new MemberId("m"), "i1", EmbeddedProtocol.decodeSubscription(bytes(withRack, 3)));

    assertThat(members("uniform", joined))
        .containsExactly(
            Member.of("m", Set.of("t"))
                .withInstanceId("i1")
                .withRack("r1")
                .owning(Assignment.empty(), 3));
  }

  // Ours.

  private static ByteBuffer userData(String name, Claim claim) {
    return theirs(Strategies.named(name).metadata(WANTED, claim)).userData();
  }

  private static JoinedMember joined(String id, byte[] metadata) {
    return new JoinedMember(new MemberId(id), "", EmbeddedProtocol.decodeSubscription(metadata));
  }

  private static JoinedMember joined(
      String id, ConsumerPartitionAssignor.Subscription subscription) {
    return joined(id, bytes(subscription, 3));
  }

  private GroupPlan plan(String name, JoinedMember... group) {
    return Strategies.named(name)
        .plan(List.of(group), (member, complaint) -> complaints.add(member.id() + " " + complaint));
  }

  private Map<MemberId, Assignment> shares(String name, JoinedMember... group) {
    GroupPlan plan = plan(name, group);
    assertThat(plan.topics()).containsExactly("t");
    return plan.shares(SIX);
  }

  private List<Member> members(String name, JoinedMember... group) {
    return ((MemberStrategy.Plan) plan(name, group)).members();
  }

  private Member read(String name, byte[] metadata) {
    return members(name, joined("m", metadata)).get(0);
  }

  private static byte[] withUserData(String hex) {
    ByteBuffer userData = ByteBuffer.wrap(java.util.HexFormat.of().parseHex(hex));
    return bytes(new ConsumerPartitionAssignor.Subscription(List.of("t"), userData), 3);
  }

  // Kafka's.

  private static ConsumerPartitionAssignor.Subscription theirs(byte[] metadata) {
    return ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata));
  }

  private static byte[] bytes(ConsumerPartitionAssignor.Subscription subscription, int version) {
    ByteBuffer buffer = ConsumerProtocol.serializeSubscription(subscription, (short) version);
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static ConsumerPartitionAssignor assignor(String name) {
    return name.equals("sticky") ? new StickyAssignor() : new CooperativeStickyAssignor();
  }

  /** What a KafkaConsumer sends that was given this; an eager one owns nothing when it joins. */
  private static ConsumerPartitionAssignor.Subscription ofKafka(
      String name, Assignment share, int generation) {
    ConsumerPartitionAssignor assignor = assignor(name);
    assignor.onAssignment(
        new ConsumerPartitionAssignor.Assignment(partitions(share)),
        new ConsumerGroupMetadata("g", generation, "m", Optional.empty()));
    return new ConsumerPartitionAssignor.Subscription(
        List.of("t"),
        assignor.subscriptionUserData(Set.of("t")),
        name.equals("sticky") ? List.of() : partitions(share),
        generation,
        Optional.empty());
  }

  private static List<TopicPartition> partitions(Assignment share) {
    return share.stream().map(p -> new TopicPartition(p.topic(), p.partition())).toList();
  }

  private static Map<String, Assignment> assignedByKafka(
      String name, Map<String, ConsumerPartitionAssignor.Subscription> group) {
    Node node = new Node(0, "h", 1);
    Collection<PartitionInfo> infos = new ArrayList<>();
    for (int p = 0; p < 6; p++) {
      infos.add(new PartitionInfo("t", p, node, new Node[] {node}, new Node[] {node}));
    }
    Cluster cluster = new Cluster("c", List.of(node), infos, Set.of(), Set.of());
    Map<String, Assignment> shares = new TreeMap<>();
    assignor(name)
        .assign(cluster, new ConsumerPartitionAssignor.GroupSubscription(group))
        .groupAssignment()
        .forEach(
            (member, share) ->
                shares.put(
                    member,
                    Assignment.ofPartitions(
                        share.partitions().stream()
                            .map(
                                p ->
                                    new io.rebalancer.core.model.TopicPartition(
                                        p.topic(), p.partition()))
                            .toList())));
    return shares;
  }
}
