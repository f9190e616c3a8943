package io.rebalancer.coordinator.simulation;

import java.util.Set;

/** What goes wrong in a run, drawn from its seed: how much of it, of which kinds, and when. */
final class Faults {

  private final World world;
  private final Cluster cluster;
  private final SimulatedStore store;
  private final Members members;
  private boolean stopped;

  Faults(World world, Cluster cluster, SimulatedStore store, Members members) {
    this.world = world;
    this.cluster = cluster;
    this.store = store;
    this.members = members;
  }

  /** Returns for how long they go on. */
  int plan() {
    int length = world.between(20_000, 60_000);
    world.lost = mood(4);
    world.repeated = mood(8);
    world.slow = mood(60);
    store.slow = mood(300);
    store.failing = mood(200);
    store.unknown = mood(200);
    if (world.served) {
      world.slowAssignments = mood(300);
      world.failingAssignments = mood(60);
    }
    int pause = world.between(500, 6_000);
    int count = length / pause;
    for (int i = 0; i < count; i++) {
      world.after(world.between(0, length), this::one);
    }
    return length;
  }

  private int mood(int most) {
    return world.chance(500) ? world.between(1, most) : 0;
  }

  private void one() {
    if (stopped) {
      return;
    }
    switch (world.random.nextInt(23)) {
      case 0, 1 -> members.start();
      case 2 -> members.any().ifPresent(MemberModel::leave);
      case 3 -> crashMember();
      case 4, 5 -> members.any().ifPresent(m -> m.cut(true));
      case 6 -> members.any().ifPresent(m -> m.cut(false));
      case 7, 8 -> members.any().ifPresent(m -> m.freeze(world.between(100, 14_000)));
      case 9, 10 -> members.any().ifPresent(m -> m.block(world.between(100, 20_000)));
      case 11 -> members.any().ifPresent(m -> m.subscribe(members.someTopics()));
      case 12, 13 -> changeTopics();
      case 14, 15 -> cluster.crash(world.chance(700));
      case 16, 17 -> holder(node -> node.stall(world.between(100, 12_000)));
      case 18 -> members.any().ifPresent(this::twin);
      case 19 -> holder(node -> node.cutOff(world.between(100, 12_000)));
      case 20 -> holder(Node::delete);
      case 21 -> everybodyLeaves();
      default -> cutAll();
    }
  }

  /** The group becomes empty; somebody may come, or it may be removed, before or after. */
  private void everybodyLeaves() {
    members.living().forEach(MemberModel::leave);
    world.after(world.between(100, 6_000), () -> holder(Node::delete));
    world.after(
        world.between(100, 12_000),
        () -> {
          if (!stopped) {
            members.start();
          }
        });
  }

  private void crashMember() {
    members
        .any()
        .ifPresent(
            member -> {
              member.crash(true);
              if (world.chance(700)) {
                world.after(
                    world.chance(500) ? world.between(100, 3_000) : world.between(3_000, 15_000),
                    () -> restart(member));
              }
            });
  }

  private void restart(MemberModel former) {
    if (!stopped) {
      members.replace(former);
    }
  }

  /** Two live processes with one instance id. */
  private void twin(MemberModel member) {
    if (member.profile.isStatic()) {
      members.replace(member);
    }
  }

  private void holder(java.util.function.Consumer<Node> fault) {
    if (cluster.isUndisturbed()) {
      fault.accept(cluster.holder());
    }
  }

  private void cutAll() {
    cluster.holder().openLinks().forEach(link -> link.lose("all cut"));
  }

  private void changeTopics() {
    change(world.chance(600) ? "t" : "u");
  }

  private void change(String topic) {
    if (topic.equals("u") && world.topics.containsKey("u") && world.chance(500)) {
      world.topics.remove("u");
      world.removed.add("u");
    } else {
      world.topics.merge(topic, world.between(1, 3), Integer::sum);
    }
    world.note(17, () -> "topics become " + world.topics);
    world.after(world.between(1, 100), () -> cluster.topicsChanged(Set.of(topic)));
    members.living().forEach(MemberModel::learnTopicsLater);
  }

  /** Whoever stands still goes on when its time is over; everything else is as it should be. */
  void stop() {
    stopped = true;
    world.lost = 0;
    world.repeated = 0;
    world.slow = 0;
    world.slowAssignments = 0;
    world.failingAssignments = 0;
    store.slow = 0;
    store.failing = 0;
    store.unknown = 0;
    world.note(18, () -> "faults stop");
  }
}
