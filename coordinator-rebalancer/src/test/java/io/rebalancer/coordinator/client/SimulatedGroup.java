package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerVerdict;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.testkit.VirtualTime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.message.MetadataResponseData;
import org.jspecify.annotations.Nullable;

/** One group of simulated members in a quiet world, for worked examples. */
final class SimulatedGroup {

  static final Subscription WANTED = Subscription.copyOf(Map.of("t", 1));

  final VirtualTime time = new VirtualTime();
  final List<LedgerEntry> ledger = new ArrayList<>();
  final Map<String, SimulatedMember> members = new LinkedHashMap<>();
  private final MetadataResponseData.MetadataResponseTopic topic =
      new MetadataResponseData.MetadataResponseTopic().setName("t");
  private final Random random = new CalmRandom();
  private final SimulatedCoordinator coordinator;
  private CoordinatorClientConfig config;

  /** Heartbeats every 3 s, sessions of 10 s. */
  SimulatedGroup(String strategy, int firstPartition, int partitions) {
    MetadataResponseData topics = new MetadataResponseData();
    topics.topics().add(topic);
    addPartitions(firstPartition, partitions);
    coordinator = new SimulatedCoordinator(time, random, topics, ledger::add);
    config =
        CoordinatorClientConfig.of(List.of(InetSocketAddress.createUnresolved("c", 1)))
            .withSession(Duration.ofSeconds(10), Duration.ofSeconds(3))
            .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(5))
            .withAssignmentStrategy(strategy);
  }

  SimulatedGroup delayed(Duration most) {
    config = config.withScheduledRebalanceMaxDelay(most);
    return this;
  }

  void addPartitions(int first, int count) {
    for (int i = 0; i < count; i++) {
      topic
          .partitions()
          .add(new MetadataResponseData.MetadataResponsePartition().setPartitionIndex(first + i));
    }
  }

  SimulatedMember join(String name) {
    return join(name, config);
  }

  /** With its name as {@code group.instance.id}. */
  SimulatedMember joinStatic(String name) {
    return join(name, config.withGroupInstanceId(name));
  }

  SimulatedMember joinWithSession(String name, Duration session) {
    return join(name, config.withSession(session, Duration.ofSeconds(3)));
  }

  private SimulatedMember join(String name, CoordinatorClientConfig config) {
    SimulatedMember member =
        new SimulatedMember(
            name,
            Subscription.copyOf(Map.of("t", 1)),
            config,
            time,
            random,
            coordinator,
            ledger::add);
    members.put(name, member);
    member.on(new MemberEvent.Started());
    return member;
  }

  void crash(String name) {
    members.remove(name).on(new MemberEvent.CrashRequested());
  }

  void run(Duration duration) {
    time.advance(duration);
  }

  /** Of the last grant. */
  int generation() {
    return ledger.stream()
        .filter(entry -> entry.kind() == LedgerEntry.Kind.GRANTED)
        .mapToInt(entry -> entry.token().generation())
        .max()
        .orElse(0);
  }

  Map<String, Assignment> shares() {
    Map<String, Assignment> shares = new TreeMap<>();
    members.forEach((name, member) -> shares.put(name, member.state.owned()));
    return shares;
  }

  List<Integer> sizes() {
    return shares().values().stream().map(Assignment::size).sorted().toList();
  }

  /** What each member says is left of a delay. */
  List<Duration> delays() {
    return members.values().stream().map(SimulatedMember::delay).toList();
  }

  /** The state and the protocol, as DescribeGroups tells. */
  String described() {
    return coordinator.described();
  }

  /** The ledger's words from entry {@code from} on: {@code C1 REVOKED t:3}. */
  List<String> history(int from) {
    return ledger.subList(from, ledger.size()).stream()
        .map(entry -> entry.member() + " " + entry.kind() + " " + entry.partitions())
        .toList();
  }

  LedgerVerdict check() {
    return LedgerChecker.check(ledger, time.nanos());
  }

  /** Heartbeats every 3 s, behind a Join every 13 s, pauses of 100 ms to 1 s. */
  static MemberRules rules(boolean cooperative, boolean isStatic) {
    return rules(cooperative, cooperative, isStatic, WANTED);
  }

  static MemberRules rules(
      boolean cooperative, boolean claims, boolean isStatic, TopicSelection topics) {
    return new MemberRules(
        cooperative,
        claims,
        isStatic,
        topics,
        Duration.ofSeconds(3),
        Duration.ofSeconds(13),
        Duration.ofMinutes(5),
        Duration.ofMillis(100),
        Duration.ofSeconds(1));
  }

  /** Of a member that wants {@link #WANTED}. */
  static MemberEffect sendJoin(int attempt, @Nullable MemberId member, Claim claim) {
    return new MemberEffect.SendJoin(attempt, member, WANTED, claim);
  }

  static Assignment share(Integer... partitions) {
    return Assignment.of("t", PartitionSet.copyOf(List.of(partitions)));
  }
}
