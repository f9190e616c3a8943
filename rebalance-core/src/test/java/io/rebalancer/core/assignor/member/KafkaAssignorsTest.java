package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Ours beside kafka-clients' own on the same random groups; a seed per group. */
class KafkaAssignorsTest {

  private static final int GROUPS = 10_000;
  private static final String[] RACKS = {"r1", "r2", "r3"};

  /** Kafka's sticky assignors log every result. */
  @BeforeAll
  static void quiet() {
    ((Logger) LoggerFactory.getLogger("org.apache.kafka")).setLevel(Level.ERROR);
  }

  @Test
  void rangeDividesAsKafkasClientsDo() {
    for (int seed = 0; seed < GROUPS; seed++) {
      GroupInput group = random(new Random(seed), seed % 2 == 0);
      assertThat(new RangeMemberAssignor().assign(group).shares())
          .as("seed %d: %s", seed, group)
          .isEqualTo(kafkas(new RangeAssignor(), group));
    }
  }

  @Test
  void roundRobinDividesAsKafkasClientsDo() {
    for (int seed = 0; seed < GROUPS; seed++) {
      GroupInput group = random(new Random(seed), false);
      assertThat(new RoundRobinMemberAssignor().assign(group).shares())
          .as("seed %d: %s", seed, group)
          .isEqualTo(kafkas(new RoundRobinAssignor(), group));
    }
  }

  /** Kafka's takes two rounds to give what changes hands. */
  @Test
  void stickyIsNoWorseBalancedThanKafkasAndMovesNoMoreWhereTheBalanceIsEqual() {
    int compared = 0;
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      GroupInput fresh = random(random, false);
      GroupInput settled = owning(fresh, new StickyAssignor().assign(fresh).shares());
      GroupInput changed = changed(random, settled);
      SortedMap<MemberId, Assignment> ours = new StickyAssignor().assign(changed).shares();
      SortedMap<MemberId, Assignment> round = kafkas(new CooperativeStickyAssignor(), changed);
      SortedMap<MemberId, Assignment> kafkas =
          kafkas(new CooperativeStickyAssignor(), owning(changed, round));
      if (!onlySubscribers(changed, kafkas)) {
        continue; // It leaves partitions with members that have unsubscribed.
      }
      compared++;
      long difference = apart(kafkas) - apart(ours);

      assertThat(difference)
          .as("seed %d: %s: %s, kafka's %s", seed, changed, ours, kafkas)
          .isGreaterThanOrEqualTo(0);
      if (difference == 0) {
        assertThat(moves(changed, ours))
            .as("seed %d: %s", seed, changed)
            .isLessThanOrEqualTo(moves(changed, kafkas));
      }
    }
    assertThat(compared).isGreaterThan(1_500);
  }

  private static boolean onlySubscribers(GroupInput group, Map<MemberId, Assignment> shares) {
    return group.members().stream()
        .allMatch(m -> m.topics().containsAll(shares.get(m.id()).topics().keySet()));
  }

  /** Kafka's own measure of balance: the sum of all differences of two loads. */
  private static long apart(SortedMap<MemberId, Assignment> shares) {
    List<Integer> sizes = shares.values().stream().map(Assignment::size).toList();
    long sum = 0;
    for (int i = 0; i < sizes.size(); i++) {
      for (int j = i + 1; j < sizes.size(); j++) {
        sum += Math.abs(sizes.get(i) - sizes.get(j));
      }
    }
    return sum;
  }

  private static int moves(GroupInput group, SortedMap<MemberId, Assignment> shares) {
    return group.members().stream()
        .mapToInt(
            member -> {
              SortedMap<String, PartitionSet> kept = new TreeMap<>(member.owned().topics());
              kept.keySet().retainAll(member.topics());
              return new Assignment(kept).minus(shares.get(member.id())).size();
            })
        .sum();
  }

  private static GroupInput owning(GroupInput group, SortedMap<MemberId, Assignment> shares) {
    List<Member> members = new ArrayList<>();
    group.members().forEach(m -> members.add(m.owning(shares.get(m.id()), m.generation() + 1)));
    return GroupInput.of(group.topics(), members);
  }

  /** One leaves, one joins, or one subscribes to something else. */
  private static GroupInput changed(Random random, GroupInput group) {
    List<Member> members = new ArrayList<>(group.members());
    int one = random.nextInt(members.size());
    switch (members.size() == 1 ? 1 : random.nextInt(3)) {
      case 0 -> members.remove(one);
      case 1 -> members.add(Member.of("new", someOf(random, group.topics().keySet())));
      default -> {
        Member old = members.get(one);
        members.set(
            one,
            Member.of(old.id().value(), someOf(random, group.topics().keySet()))
                .owning(old.owned(), old.generation()));
      }
    }
    return GroupInput.of(group.topics(), members);
  }

  private static Set<String> someOf(Random random, Set<String> topics) {
    Set<String> some = new TreeSet<>();
    for (String topic : topics) {
      if (random.nextInt(4) > 0) {
        some.add(topic);
      }
    }
    return some;
  }

  private static GroupInput random(Random random, boolean racks) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    Map<String, List<Set<String>>> racksOf = new HashMap<>();
    for (int i = random.nextInt(6); i >= 0; i--) {
      String topic = "t" + i;
      int partitions = random.nextInt(5) == 0 ? 6 : random.nextInt(16);
      topics.put(topic, PartitionSet.range(0, partitions));
      List<Set<String>> byPartition = new ArrayList<>();
      for (int p = 0; p < partitions; p++) {
        byPartition.add(racks && random.nextInt(8) > 0 ? someRacks(random) : Set.of());
      }
      racksOf.put(topic, byPartition);
    }
    boolean alike = random.nextBoolean();
    Set<String> all = new TreeSet<>(topics.keySet());
    all.add("missing");
    List<Member> members = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      Member member = Member.of("m" + i, alike ? all : someOf(random, all));
      if (random.nextInt(3) == 0) {
        member = member.withInstanceId("i" + (9 - i));
      }
      members.add(
          racks && random.nextInt(5) > 0 ? member.withRack(RACKS[random.nextInt(3)]) : member);
    }
    Collections.shuffle(members, random);
    GroupInput group = GroupInput.of(topics, members);
    return racks ? group.withRacks(racksOf) : group;
  }

  private static Set<String> someRacks(Random random) {
    Set<String> some = new TreeSet<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      some.add(RACKS[random.nextInt(3)]);
    }
    return some;
  }

  private static SortedMap<MemberId, Assignment> kafkas(
      AbstractPartitionAssignor assignor, GroupInput group) {
    Map<String, List<PartitionInfo>> topics = new HashMap<>();
    group
        .topics()
        .forEach(
            (topic, set) -> {
              List<PartitionInfo> infos = new ArrayList<>();
              set.forEach(
                  p -> {
                    Node[] replicas = replicas(group.racks(topic, p));
                    infos.add(new PartitionInfo(topic, p, replicas[0], replicas, replicas));
                  });
              if (!infos.isEmpty()) {
                topics.put(topic, infos);
              }
            });
    Map<String, Subscription> subscriptions = new HashMap<>();
    group.members().forEach(member -> subscriptions.put(member.id().value(), subscription(member)));
    SortedMap<MemberId, Assignment> result = new TreeMap<>();
    assignor
        .assignPartitions(topics, subscriptions)
        .forEach(
            (member, partitions) ->
                result.put(
                    new MemberId(member),
                    Assignment.ofPartitions(
                        partitions.stream()
                            .map(p -> new TopicPartition(p.topic(), p.partition()))
                            .toList())));
    return result;
  }

  private static Node[] replicas(Set<String> racks) {
    return racks.isEmpty()
        ? new Node[] {new Node(0, "h", 1)}
        : racks.stream().map(rack -> new Node(rack.charAt(1), "h", 1, rack)).toArray(Node[]::new);
  }

  private static Subscription subscription(Member member) {
    List<org.apache.kafka.common.TopicPartition> owned =
        member.owned().stream()
            .map(p -> new org.apache.kafka.common.TopicPartition(p.topic(), p.partition()))
            .toList();
    Subscription subscription =
        new Subscription(
            new ArrayList<>(member.topics()),
            new CooperativeStickyAssignor().subscriptionUserData(member.topics()),
            owned,
            member.generation(),
            member.rack().isEmpty() ? Optional.empty() : Optional.of(member.rack()));
    if (!member.instanceId().isEmpty()) {
      subscription.setGroupInstanceId(Optional.of(member.instanceId()));
    }
    return subscription;
  }
}
