package io.rebalancer.coordinator.simulation;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The processes of one group, living and gone. */
final class Members {

  private static final int MOST = 20;

  private final World world;
  private final Oracle oracle;
  private final Cluster cluster;
  private final List<MemberModel> all = new ArrayList<>();
  private final boolean cooperative;
  private final boolean ours;
  private final int first;
  private final int statics;
  private int named;
  private int instances;

  Members(World world, Oracle oracle, Cluster cluster) {
    this.world = world;
    this.oracle = oracle;
    this.cluster = cluster;
    cooperative = world.chance(500);
    ours = world.chance(200);
    statics = world.chance(300) ? 600 : 0;
    first = world.chance(150) ? world.between(2, MOST) : world.between(2, 6);
  }

  void startAll() {
    for (int i = 0; i < first; i++) {
      world.after(world.between(0, 3000), this::start);
    }
  }

  void start() {
    if (living().size() < MOST) {
      start(profile(), someTopics());
    }
  }

  private void start(Profile profile, Set<String> topics) {
    MemberModel member = new MemberModel(world, oracle, cluster, "m" + ++named, profile, topics);
    all.add(member);
    member.start();
  }

  /** Another process in the place of {@code former}; of a static member with its instance id. */
  void replace(MemberModel former) {
    if (former.profile.isStatic()) {
      start(former.profile, former.topics());
    } else {
      start();
    }
  }

  private Profile profile() {
    Era era = Era.values()[world.random.nextInt(Era.values().length)];
    int heartbeat = world.between(1_000, 2_500);
    return new Profile(
        era,
        cooperative,
        !world.chance(100),
        ours,
        world.chance(statics) ? "i" + ++instances : "",
        world.between(6_000, 10_000),
        world.between(8_000, 15_000),
        heartbeat,
        world.chance(200) ? 1_500 : 200,
        world.between(3_000, 6_000));
  }

  Set<String> someTopics() {
    Set<String> some = new TreeSet<>();
    world
        .topics
        .keySet()
        .forEach(
            topic -> {
              if (world.chance(800)) {
                some.add(topic);
              }
            });
    return some.isEmpty() ? Set.of("t") : some;
  }

  List<MemberModel> living() {
    return all.stream().filter(member -> member.isAlive() && !member.isLeaving()).toList();
  }

  Set<String> ids() {
    Set<String> ids = new TreeSet<>();
    living().forEach(member -> ids.add(member.memberId()));
    return ids;
  }

  Optional<MemberModel> any() {
    List<MemberModel> living = living();
    return living.isEmpty()
        ? Optional.empty()
        : Optional.of(living.get(world.random.nextInt(living.size())));
  }

  /** What everybody has, for messages and to be compared. */
  String describe() {
    return living().stream()
        .map(
            m ->
                "%s%s generation %d: %s"
                    .formatted(m, m.isSettled() ? "" : " (unsettled)", m.generation(), m.owned()))
        .collect(joining("; "));
  }
}
