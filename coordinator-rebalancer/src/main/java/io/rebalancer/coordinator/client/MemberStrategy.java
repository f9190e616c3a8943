package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** As Kafka's clients divide: among members, who say what they owned. */
record MemberStrategy(MemberAssignor assignor, ClaimFormat format, boolean cooperative)
    implements Strategy {

  record Plan(MemberAssignor assignor, List<Member> members) implements GroupPlan {

    @Override
    public SortedSet<String> topics() {
      SortedSet<String> topics = new TreeSet<>();
      members.forEach(member -> topics.addAll(member.topics()));
      return topics;
    }

    @Override
    public Map<MemberId, Assignment> shares(KnownTopics topics) {
      return assignor.assign(group(topics)).shares();
    }

    GroupInput group(KnownTopics topics) {
      return GroupInput.of(topics.partitions(), members).withRacks(topics.racks());
    }
  }

  @Override
  public byte[] metadata(Subscription wanted, Claim claim) {
    return EmbeddedProtocol.encode(wanted.streams().keySet(), claim, format.userData(claim));
  }

  @Override
  public GroupPlan plan(
      Collection<JoinedMember> group, BiConsumer<JoinedMember, String> complaints) {
    List<Member> members = new ArrayList<>();
    group.forEach(joined -> members.add(member(joined, complaints)));
    return new Plan(assignor, members);
  }

  private Member member(JoinedMember joined, BiConsumer<JoinedMember, String> complaints) {
    Claim claim;
    try {
      claim = format.claim(joined.subscription());
    } catch (RuntimeException e) {
      complaints.accept(joined, "claims nothing, its claim is unreadable: " + e);
      claim = Claim.NONE;
    }
    String rack = joined.subscription().rackId();
    return new Member(
        joined.id(),
        joined.instanceId(),
        TopicSet.copyOf(joined.subscription().topics()),
        claim.owned(),
        claim.ownedGeneration(),
        rack == null ? "" : rack,
        1);
  }

  @Override
  public boolean claims() {
    return true;
  }

  @Override
  public boolean delays() {
    return cooperative && format == ClaimFormat.OWNED;
  }
}
