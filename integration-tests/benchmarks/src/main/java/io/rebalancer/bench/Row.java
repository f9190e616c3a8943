package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.CooperativeStickyAssignor;
import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.assignor.member.RangeMemberAssignor;
import io.rebalancer.core.assignor.member.RoundRobinMemberAssignor;
import io.rebalancer.core.assignor.member.StickyAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

/** What is timed: an assignor and the form of its input and output. */
public enum Row {
  /** Ours; uniform is the same computation. */
  STICKY("sticky") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return ours(new StickyAssignor(), group, change);
    }
  },
  COOPERATIVE("cooperative-sticky") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return ours(new CooperativeStickyAssignor(), group, change);
    }
  },
  RANGE("range") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return ours(new RangeMemberAssignor(), group, change);
    }
  },
  ROUND_ROBIN("roundrobin") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return ours(new RoundRobinMemberAssignor(), group, change);
    }
  },

  /** As sticky; then each member's own assignment is put together. */
  SHARES("sticky-shares") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      StickyAssignor sticky = new StickyAssignor();
      GroupInput input = input(sticky, group, change);
      return () -> sticky.assign(input).shares();
    }
  },

  /** As sticky; the input is put together from topics and members each time. */
  ANEW("sticky-anew") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      StickyAssignor sticky = new StickyAssignor();
      GroupInput input = input(sticky, group, change);
      Map<String, PartitionSet> topics = input.topics();
      List<Member> members = input.members();
      return () -> {
        GroupInput anew = GroupInput.of(topics, members);
        return sticky.assign(input.previous().map(anew::withPrevious).orElse(anew));
      };
    }
  },

  /** As sticky; the previous assignment is what the members say they own. */
  CLAIMS("sticky-claims") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      StickyAssignor sticky = new StickyAssignor();
      GroupInput input = claiming(sticky, group, change);
      return () -> sticky.assign(input);
    }
  },

  /** All three: the input anew from members that say what they own, and each one's assignment. */
  WHOLE("sticky-whole") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      StickyAssignor sticky = new StickyAssignor();
      GroupInput input = claiming(sticky, group, change);
      Map<String, PartitionSet> topics = input.topics();
      List<Member> members = input.members();
      return () -> sticky.assign(GroupInput.of(topics, members)).shares();
    }
  },
  KAFKA_UNIFORM("kafka-uniform") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      UniformAssignor uniform = new UniformAssignor();
      ServerGroup fresh = ServerGroup.of(group);
      ServerGroup input =
          change == Change.FRESH ? fresh : fresh.next(Groups.staying(group), fresh.assign(uniform));
      return () -> input.assign(uniform);
    }
  },
  KAFKA_STICKY("kafka-sticky") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return clients(org.apache.kafka.clients.consumer.StickyAssignor::new, group, change);
    }
  },
  KAFKA_COOPERATIVE("kafka-cooperative-sticky") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return clients(
          org.apache.kafka.clients.consumer.CooperativeStickyAssignor::new, group, change);
    }
  },
  KAFKA_RANGE("kafka-range") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return clients(RangeAssignor::new, group, change);
    }
  },
  KAFKA_ROUND_ROBIN("kafka-roundrobin") {
    @Override
    Supplier<Object> operation(GroupInput group, Change change) {
      return clients(RoundRobinAssignor::new, group, change);
    }
  };

  private static final int GENERATION = 1;

  private final String label;

  Row(String label) {
    this.label = label;
  }

  /** Builds the native input, for a leave from what the same assignor gave before. */
  abstract Supplier<Object> operation(GroupInput group, Change change);

  /** Kafka's of the client; they may not end with different subscriptions. */
  boolean isStickyClient() {
    return this == KAFKA_STICKY || this == KAFKA_COOPERATIVE;
  }

  boolean isOurs() {
    return compareTo(KAFKA_UNIFORM) < 0;
  }

  /** What the command line and the tables call it. */
  @Override
  public String toString() {
    return label;
  }

  private static Supplier<Object> ours(MemberAssignor assignor, GroupInput group, Change change) {
    GroupInput input = input(assignor, group, change);
    return () -> assignor.assign(input);
  }

  private static GroupInput input(MemberAssignor assignor, GroupInput group, Change change) {
    if (change == Change.FRESH) {
      return group;
    }
    GroupAssignment settled = assignor.assign(group);
    return group.withMembers(Groups.staying(group)).withPrevious(settled);
  }

  private static GroupInput claiming(MemberAssignor assignor, GroupInput group, Change change) {
    if (change == Change.FRESH) {
      return group;
    }
    Map<MemberId, Assignment> shares = assignor.assign(group).shares();
    return group.withMembers(
        Groups.staying(group).stream()
            .map(
                member ->
                    member.owning(shares.getOrDefault(member.id(), Assignment.empty()), GENERATION))
            .toList());
  }

  private static Supplier<Object> clients(
      Supplier<? extends AbstractPartitionAssignor> assignors, GroupInput group, Change change) {
    ClientGroup fresh = ClientGroup.of(group, assignors);
    ClientGroup input =
        change == Change.FRESH ? fresh : fresh.next(Groups.staying(group), fresh.assign());
    return input::assign;
  }
}
