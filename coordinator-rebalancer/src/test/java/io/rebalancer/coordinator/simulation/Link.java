package io.rebalancer.coordinator.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * A member's connection to its coordinator: requests arrive in the order sent, answers leave in the
 * order asked. A message that is lost takes everything after it with it, until the client's request
 * timeout closes the connection.
 */
final class Link {

  private record Down(long correlation, Object answer) {}

  private record InFlight(long correlation, long deadline, Consumer<Object> handler) {}

  private static final class Slot {
    final long correlation;
    Object answer;

    Slot(long correlation) {
      this.correlation = correlation;
    }
  }

  private final World world;
  private final Oracle oracle;
  private final MemberModel member;
  final Node node;
  private final Deque<InFlight> inFlight = new ArrayDeque<>();
  private final Deque<Slot> slots = new ArrayDeque<>();
  private final Deque<Down> down = new ArrayDeque<>();
  private boolean open = true;
  private boolean silent;
  private boolean watching;
  private long lastCorrelation;
  private long lastUp;
  private long lastDown;

  Link(World world, Oracle oracle, MemberModel member, Node node) {
    this.world = world;
    this.oracle = oracle;
    this.member = member;
    this.node = node;
    node.links.add(this);
  }

  /** Whether it leads to the coordinator and messages pass. */
  boolean isSound() {
    return open && !silent && node.isServing();
  }

  /** Client side. {@code handler} is told the answer, unless the connection ends before. */
  void send(Ask ask, int timeoutMs, Consumer<Object> handler) {
    long correlation = ++lastCorrelation;
    inFlight.add(new InFlight(correlation, world.now() + timeoutMs, handler));
    watch();
    if (world.chance(world.lost)) {
      fallSilent();
    }
    if (silent) {
      return;
    }
    lastUp = Math.max(lastUp, world.now() + world.delay());
    world.after(lastUp - world.now(), () -> arrive(correlation, ask));
    if (world.chance(world.repeated)) {
      world.after(lastUp - world.now() + world.between(1, 3000), () -> node.receiveStray(ask));
    }
  }

  private void arrive(long correlation, Ask ask) {
    if (!open) {
      // What the server has read from a connection that its client has given up is served too.
      if (world.chance(500)) {
        node.receiveStray(ask);
      }
      return;
    }
    if (!node.alive) {
      lose("refused");
      return;
    }
    Slot slot = new Slot(correlation);
    slots.add(slot);
    node.receive(ask, answer -> answered(slot, answer));
  }

  /** Server side. */
  private void answered(Slot slot, Object answer) {
    slot.answer = answer;
    if (world.planted == PlantedFault.SWAPS_CORRELATION_IDS && slots.size() > 1) {
      slots.addLast(slots.removeFirst());
    }
    while (!slots.isEmpty() && slots.peek().answer != null) {
      Slot next = slots.remove();
      if (world.chance(world.lost)) {
        fallSilent();
      }
      if (!silent) {
        lastDown = Math.max(lastDown, world.now() + world.delay());
        down.add(new Down(next.correlation, next.answer));
        world.after(lastDown - world.now(), this::deliver);
      }
    }
  }

  /** The oldest: a member that stood still takes them up in their order. */
  private void deliver() {
    if (!open) {
      return;
    }
    long frozen = member.frozenFor();
    if (frozen > 0) {
      world.after(frozen, this::deliver);
      return;
    }
    Down next = down.remove();
    InFlight oldest = inFlight.poll();
    if (oldest == null || oldest.correlation != next.correlation) {
      throw oracle.violated(
          Invariant.RIGHT_ANSWER,
          member.name
              + " awaits "
              + (oldest == null ? "nothing" : oldest.correlation)
              + ", found "
              + next.correlation);
    }
    oldest.handler.accept(next.answer);
  }

  private void watch() {
    if (!watching && !inFlight.isEmpty()) {
      watching = true;
      world.after(
          inFlight.peek().deadline - world.now(),
          () -> {
            watching = false;
            if (open && !inFlight.isEmpty() && inFlight.peek().deadline <= world.now()) {
              lose("request timeout");
            } else if (open) {
              watch();
            }
          });
    }
  }

  /** Nothing passes any more, and nobody is told. */
  void fallSilent() {
    if (!silent) {
      silent = true;
      world.note(2, () -> "link of " + member.name + " falls silent");
    }
  }

  /** The connection breaks, and its client sees it. */
  void lose(String why) {
    if (open) {
      world.note(3, () -> "link of " + member.name + " is lost: " + why);
      close();
      member.disconnected(this);
    }
  }

  /** By its client. */
  void close() {
    open = false;
    inFlight.clear();
    node.links.remove(this);
  }
}
