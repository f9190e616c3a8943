package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One seed: a group, its faults, and the calm after them. */
final class Simulation {

  /** Virtual time in which a group must be settled once the faults have stopped. */
  static final int BOUND_MS = 60_000;

  /** Of a thousand groups, those that the coordinator assigns. */
  private static final int SERVED = 200;

  /** For so long it must then stay as it is. */
  private static final int STILL_MS = 8_000;

  /** What is on its way when the faults stop has arrived by then. */
  private static final int MESSAGES_MS = 5_000;

  /** What came of a seed. */
  record Outcome(
      long seed,
      Optional<Violation> violation,
      Counts counts,
      long fingerprint,
      List<String> trace) {}

  private final long seed;
  private final World world;
  private final Counts counts = new Counts();
  private final Oracle oracle;
  private final SimulatedStore store;
  private final Cluster cluster;
  private final Members members;
  private final Faults faults;

  private Simulation(long seed, PlantedFault planted, boolean traced) {
    this.seed = seed;
    world = new World(seed, planted, traced);
    store = new SimulatedStore(world);
    oracle = new Oracle(world, store, counts);
    int delay = List.of(0, 500, 3000).get(world.random.nextInt(3));
    boolean served = world.chance(SERVED);
    world.served = served;
    world.retentionMs = world.chance(300) ? 8_000 : 3_600_000;
    int maxDelay = served && world.chance(500) ? 3_000 : 0;
    cluster =
        new Cluster(
            world,
            oracle,
            new GroupRules(
                delay,
                1_000,
                60_000,
                1_000,
                group -> served ? GroupOptions.server("uniform", maxDelay) : GroupOptions.CLASSIC),
            store);
    world.topics.put("t", world.between(1, 12));
    if (world.chance(500)) {
      world.topics.put("u", world.between(1, 6));
    }
    members = new Members(world, oracle, cluster);
    faults = new Faults(world, cluster, store, members);
  }

  static Outcome run(long seed, PlantedFault planted, boolean traced) {
    return new Simulation(seed, planted, traced).run();
  }

  private Outcome run() {
    Violation violation = null;
    try {
      cluster.start();
      members.startAll();
      run(faults.plan());
      faults.stop();
      settle();
    } catch (Violation found) {
      violation = found;
    }
    return new Outcome(
        seed,
        Optional.ofNullable(oracle.found != null ? oracle.found : violation),
        counts,
        world.fingerprint(),
        world.trace);
  }

  private void run(long ms) {
    world.time.advance(Duration.ofMillis(ms));
    if (oracle.found != null) {
      throw oracle.found;
    }
  }

  private void settle() {
    long from = world.now();
    run(MESSAGES_MS);
    while (!isSettled()) {
      if (world.now() - from > BOUND_MS) {
        throw oracle.violated(
            Invariant.SETTLES,
            "after %d ms: %s; stored: %s"
                .formatted(BOUND_MS, members.describe(), store.state().orElse(null)));
      }
      run(200);
    }
    counts.settledAfterMs = world.now() - from;
    String settled = members.describe();
    run(STILL_MS);
    if (!isSettled() || !members.describe().equals(settled)) {
      throw oracle.violated(
          Invariant.SETTLES, "not for long: " + settled + " became " + members.describe());
    }
    oracle.allAnswered(world.now() - STILL_MS);
  }

  /** Every partition of a subscribed topic has one owner, and everybody is in its generation. */
  private boolean isSettled() {
    List<MemberModel> living = members.living();
    if (!cluster.isUndisturbed() || !living.stream().allMatch(MemberModel::isSettled)) {
      return false;
    }
    if (living.isEmpty()) {
      return true;
    }
    if (!oracle.isStable() || !oracle.storedMembers().equals(members.ids())) {
      return false; // Somebody who is gone has not been missed yet.
    }
    Set<String> wanted = new TreeSet<>();
    living.forEach(member -> wanted.addAll(member.topics()));
    Map<String, PartitionSet> expected = new TreeMap<>(world.partitions());
    expected.keySet().retainAll(wanted);
    Assignment sum = Assignment.empty();
    int size = 0;
    for (MemberModel member : living) {
      sum = sum.plus(member.owned());
      size += member.owned().size();
    }
    return living.stream().allMatch(this::isInStoredGeneration)
        && (oracle.hasReturned() || sum.equals(Assignment.copyOf(expected)))
        && sum.size() == size
        && (oracle.hasReturned()
            || living.stream().allMatch(m -> m.topics().containsAll(m.owned().topics().keySet())));
  }

  /** Else a late Join has been answered, and the member does not know it yet. */
  private boolean isInStoredGeneration(MemberModel member) {
    return store.generationOf(member.memberId()) == member.generation();
  }
}
