package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

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
  void whoHasARackSaysItBesideItsClaim() {
    GroupMessages inRack =
        new GroupMessages(new GroupId("g"), "a", CONFIG.withClientRack("r1"), STICKY);
    byte[] bytes =
        inRack
            .join(new MemberEffect.SendJoin(1, null, WANTED, Claim.of(SHARE, 7)), "told", 0)
            .protocols()
            .iterator()
            .next()
            .metadata();

    assertThat(read(member("a", bytes)))
        .singleElement()
        .satisfies(
            read -> {
              assertThat(read.rack()).isEqualTo("r1");
              assertThat(read.owned()).isEqualTo(SHARE);
            });
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
}
