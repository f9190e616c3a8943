package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.testkit.Seeds;
import io.rebalancer.core.testkit.VirtualTime;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Members and coordinator, each by its own state machine, through joins, leaves, crashes, cut and
 * stalled connections, failing listeners and coordinators that fail over. Replay one with {@code
 * -Drebalancer.seed=N}.
 */
class GroupSimulationTest {

  private static final int PARTITIONS = 20;
  private static final int STEPS = 150;

  static long[] seeds() {
    return Seeds.fixed();
  }

  static Stream<Arguments> seedsByMemberStrategy() {
    return Stream.of("sticky 0", "cooperative-sticky 0", "uniform 0", "uniform 15")
        .map(text -> text.split(" "))
        .flatMap(
            each ->
                Arrays.stream(seeds())
                    .mapToObj(seed -> Arguments.of(each[0], Integer.parseInt(each[1]), seed)));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noPartitionHasTwoOwnersAndEveryGroupSettlesOnceFaultsStop(long seed) {
    Run run = new Run(seed);

    run.withFaults();
    run.quietly();

    assertThat(LedgerChecker.check(run.ledger, run.time.nanos()).violations())
        .as("seed " + seed)
        .isEmpty();
    assertThat(run.owned()).as("seed " + seed).isEqualTo(run.shares());
    assertThat(run.ledger).filteredOn(e -> e.kind() == LedgerEntry.Kind.LOST).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("seedsByMemberStrategy")
  void groupsThatDivideByMemberSettleEvenlyWithoutTwoOwnersOrRoundsThatGoOn(
      String strategy, int delaySeconds, long seed) {
    Run run = new Run(seed, strategy, Duration.ofSeconds(delaySeconds));

    run.withFaults();
    run.quietly();
    int entries = run.ledger.size();
    run.quietly();

    assertThat(LedgerChecker.check(run.ledger, run.time.nanos()).violations())
        .as("seed " + seed)
        .isEmpty();
    assertThat(run.ledger).as("seed " + seed).hasSize(entries);
    List<Integer> loads = run.owned().values().stream().map(Assignment::size).sorted().toList();
    assertThat(loads.stream().mapToInt(Integer::intValue).sum()).isEqualTo(PARTITIONS);
    assertThat(loads.get(loads.size() - 1) - loads.get(0))
        .as("seed %d: %s", seed, loads)
        .isLessThanOrEqualTo(1);
  }

  static Stream<Arguments> seedsByStrategyWhereTheCoordinatorAssigns() {
    return Stream.of("range", "sticky", "uniform")
        .flatMap(each -> Arrays.stream(seeds()).mapToObj(seed -> Arguments.of(each, seed)));
  }

  @ParameterizedTest
  @MethodSource("seedsByStrategyWhereTheCoordinatorAssigns")
  void groupsWhoseCoordinatorAssignsSettleEvenlyWithoutTwoOwnersOrASync(
      String strategy, long seed) {
    Run run =
        new Run(
            seed,
            strategy,
            Duration.ZERO,
            GroupOptions.server("uniform", (int) (seed % 3) * 7_000));

    run.withFaults();
    run.quietly();
    int entries = run.ledger.size();
    run.quietly();

    assertThat(LedgerChecker.check(run.ledger, run.time.nanos()).violations())
        .as("seed " + seed)
        .isEmpty();
    assertThat(run.ledger).as("seed " + seed).hasSize(entries);
    List<Integer> loads = run.owned().values().stream().map(Assignment::size).sorted().toList();
    assertThat(loads.stream().mapToInt(Integer::intValue).sum()).isEqualTo(PARTITIONS);
    assertThat(loads.get(loads.size() - 1) - loads.get(0))
        .as("seed %d: %s", seed, loads)
        .isLessThanOrEqualTo(1);
    assertThat(run.coordinator.syncs()).isZero();
  }

  static Stream<Arguments> seedsByStrategyOfMembersByPattern() {
    return Stream.of("sticky", "cooperative-sticky", "uniform")
        .flatMap(
            each ->
                Stream.of(GroupOptions.CLASSIC, GroupOptions.server("uniform", 0))
                    .flatMap(
                        options ->
                            Arrays.stream(seeds())
                                .mapToObj(seed -> Arguments.of(each, options, seed))));
  }

  @ParameterizedTest
  @MethodSource("seedsByStrategyOfMembersByPattern")
  void membersByPatternShareTheTopicsThatThereAreInTheEnd(
      String strategy, GroupOptions options, long seed) {
    Run run = Run.byPattern(seed, strategy, options);

    run.withFaults();
    run.quietly();
    int entries = run.ledger.size();
    run.quietly();

    assertThat(LedgerChecker.check(run.ledger, run.time.nanos()).violations())
        .as("seed " + seed)
        .isEmpty();
    assertThat(run.ledger).as("seed " + seed).hasSize(entries);
    Assignment all = run.owned().values().stream().reduce(Assignment.empty(), Assignment::plus);
    assertThat(all).as("seed " + seed).isEqualTo(run.all());
  }

  @Test
  void oneSeedIsOneHistory() {
    Run first = new Run(7);
    Run second = new Run(7);

    first.withFaults();
    second.withFaults();

    assertThat(second.ledger).isEqualTo(first.ledger);
  }

  private static final class Run {
    private final VirtualTime time = new VirtualTime();
    private final Random random;
    private final List<LedgerEntry> ledger = new ArrayList<>();
    private final List<SimulatedMember> members = new ArrayList<>();
    private final SimulatedCoordinator coordinator;
    private final CoordinatorClientConfig config;
    private final MetadataResponseData topics = new MetadataResponseData();
    private final boolean byPattern;
    private int named;

    Run(long seed) {
      this(seed, "range", Duration.ZERO);
    }

    Run(long seed, String strategy, Duration delay) {
      this(seed, strategy, delay, GroupOptions.CLASSIC);
    }

    Run(long seed, String strategy, Duration delay, GroupOptions options) {
      this(seed, strategy, delay, options, false);
    }

    static Run byPattern(long seed, String strategy, GroupOptions options) {
      return new Run(seed, strategy, Duration.ZERO, options, true);
    }

    private Run(
        long seed, String strategy, Duration delay, GroupOptions options, boolean byPattern) {
      this.byPattern = byPattern;
      config =
          CoordinatorClientConfig.of(List.of(InetSocketAddress.createUnresolved("c", 1)))
              .withSession(Duration.ofSeconds(10), Duration.ofSeconds(3))
              .withTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(5))
              .withAssignmentStrategy(strategy)
              .withMetadataMaxAge(Duration.ofSeconds(20))
              .withScheduledRebalanceMaxDelay(delay);
      random = new Random(seed);
      topics.topics().add(topic("t", PARTITIONS));
      topics.topics().add(topic("u", 7));
      coordinator = new SimulatedCoordinator(time, random, topics, ledger::add, options);
      for (int i = 0; i < 4; i++) {
        join();
      }
    }

    private static MetadataResponseData.MetadataResponseTopic topic(String name, int partitions) {
      MetadataResponseData.MetadataResponseTopic topic =
          new MetadataResponseData.MetadataResponseTopic().setName(name);
      for (int i = 0; i < partitions; i++) {
        topic
            .partitions()
            .add(new MetadataResponseData.MetadataResponsePartition().setPartitionIndex(i));
      }
      return topic;
    }

    /** {@code t2} comes or goes; the coordinator notices what its groups have to do with. */
    private void createOrDelete() {
      MetadataResponseData.MetadataResponseTopic there = topics.topics().find("t2");
      if (there == null) {
        topics.topics().add(topic("t2", 5));
      } else {
        topics.topics().remove(there);
      }
      coordinator.topicsChanged(Set.of("t2"));
    }

    /** Of the topics that match {@code t.*}. */
    Assignment all() {
      Assignment t = Assignment.of("t", PartitionSet.range(0, PARTITIONS));
      return topics.topics().find("t2") == null
          ? t
          : t.plus(Assignment.of("t2", PartitionSet.range(0, 5)));
    }

    private void join() {
      SimulatedMember member =
          new SimulatedMember(
              "m" + named++,
              byPattern
                  ? new WildcardSubscription(TopicFilter.whiteList("t.*"), 1)
                  : Subscription.copyOf(Map.of("t", 1 + random.nextInt(2))),
              config,
              time,
              random,
              coordinator,
              ledger::add);
      members.add(member);
      member.on(new MemberEvent.Started());
    }

    void withFaults() {
      for (int i = 0; i < STEPS; i++) {
        time.advance(Duration.ofMillis(random.nextInt(4000)));
        disturb();
      }
    }

    private void disturb() {
      SimulatedMember victim = members.get(random.nextInt(members.size()));
      switch (random.nextInt(10)) {
        case 0 -> {
          if (members.size() < 8) {
            join();
          }
        }
        case 1 -> end(victim, new MemberEvent.CloseRequested());
        case 2 -> end(victim, new MemberEvent.CrashRequested());
        case 3, 4 -> victim.cut();
        case 5 -> victim.stall(Duration.ofMillis(random.nextInt(20_000)));
        case 6 -> {
          coordinator.failOver();
          members.forEach(SimulatedMember::cut);
        }
        case 7, 8 -> {
          if (byPattern) {
            createOrDelete();
          }
        }
        default -> {} // A quiet while.
      }
    }

    private void end(SimulatedMember member, MemberEvent how) {
      if (members.size() > 2) {
        members.remove(member);
        member.on(how);
      }
    }

    /** Long enough for stalled requests to time out and dead members to be missed. */
    void quietly() {
      time.advance(Duration.ofMinutes(5));
    }

    SortedMap<MemberId, Assignment> owned() {
      SortedMap<MemberId, Assignment> owned = new TreeMap<>();
      members.forEach(member -> owned.put(member.state.member, member.state.owned()));
      return owned;
    }

    SortedMap<MemberId, Assignment> shares() {
      SortedMap<MemberId, Subscription> group = new TreeMap<>();
      members.forEach(member -> group.put(member.state.member, (Subscription) member.topics()));
      return new RangeAssignor().assign(Map.of("t", PartitionSet.range(0, PARTITIONS)), group);
    }
  }
}
