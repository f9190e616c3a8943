package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.GroupRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The coordinators, one of which holds the slots. */
final class Cluster {

  private final World world;
  private final Oracle oracle;
  private final GroupRules rules;
  final SimulatedStore store;
  private final List<Node> nodes = new ArrayList<>();
  private Node holder;
  private boolean wanted;
  int takeovers;

  Cluster(World world, Oracle oracle, GroupRules rules, SimulatedStore store) {
    this.world = world;
    this.oracle = oracle;
    this.rules = rules;
    this.store = store;
  }

  void start() {
    take();
  }

  /** Whom clients are sent to. */
  Optional<Node> coordinator() {
    return Optional.of(holder).filter(node -> node.alive && !node.isResigned());
  }

  Node holder() {
    return holder;
  }

  /** Whether a fault of the holder's own would not hide another. */
  boolean isUndisturbed() {
    return holder.isServing() && !holder.isOutOfReach();
  }

  /** The slots are free, or soon will be: somebody takes them. */
  private void wanted() {
    if (!wanted) {
      wanted = true;
      world.after(world.between(100, 2500), this::take);
    }
  }

  private void take() {
    wanted = false;
    takeovers++;
    Node next = world.chance(500) ? null : idle();
    if (next == null) {
      next = new Node(world, oracle, this, "c" + (nodes.size() + 1), rules);
      nodes.add(next);
    }
    holder = next;
    store.epoch++;
    Node taker = next;
    world.note(store.epoch, () -> taker + " takes the slots, epoch " + store.epoch);
    next.load(store.epoch);
  }

  private Node idle() {
    return nodes.stream()
        .filter(node -> node.alive && node.isResigned() && !node.isStalled())
        .filter(node -> !node.isOutOfReach())
        .findFirst()
        .orElse(null);
  }

  void crash(boolean seen) {
    Node dying = holder;
    if (dying.alive) {
      world.note(5, () -> dying + " crashes" + (seen ? "" : " unseen"));
      dying.crash(seen);
      world.after(world.between(100, Node.SESSION_MS), () -> resigned(dying));
    }
  }

  /** The store's server has not heard of {@code node} for so long that its session ends. */
  void sessionOver(Node node) {
    world.note(6, () -> "the session of " + node + " is over");
    resigned(node);
  }

  void resigned(Node node) {
    if (node == holder) {
      wanted();
    }
  }

  void topicsChanged(Set<String> topics) {
    nodes.forEach(node -> node.topicsChanged(topics));
  }
}
