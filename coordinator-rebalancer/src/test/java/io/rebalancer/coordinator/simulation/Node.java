package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.coordinator.runtime.Retention;
import io.rebalancer.coordinator.runtime.ShardOnVirtualTime;
import io.rebalancer.coordinator.runtime.Standing;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** One coordinator process: the shard as it ships, its standing, and its way to the store. */
final class Node {

  /** From the last answer of the store's server to the end of the lease, and of the session. */
  static final int LEASE_MS = 4_000;

  static final int SESSION_MS = 6_000;

  private final World world;
  private final Oracle oracle;
  private final Cluster cluster;
  private final String name;
  final SimulatedStore.Handle store;
  private final ShardOnVirtualTime shard;
  final Set<Link> links = new LinkedHashSet<>();
  boolean alive = true;
  private Standing held = Standing.RESIGNED;
  private boolean connected = true;
  private long lastContact;
  private boolean contactLost;
  private boolean expired;
  private long stalledUntil;
  private long wakeAt = Long.MAX_VALUE;
  private boolean running;
  private final Planting planting;

  Node(World world, Oracle oracle, Cluster cluster, String name, GroupRules rules) {
    this.world = world;
    this.oracle = oracle;
    this.cluster = cluster;
    this.name = name;
    store = cluster.store.new Handle(this);
    planting = new Planting(world, cluster.store);
    int speed = world.planted == PlantedFault.HURRIES ? 2 : 1;
    shard =
        new ShardOnVirtualTime(
            rules,
            store,
            this::standing,
            observation -> {
              if (observation instanceof Observation.PhaseChanged moved) {
                oracle.moved(this, moved);
              }
            },
            () -> world.time.nanos() * speed,
            this::catalog,
            task ->
                world.after(
                    world.chance(world.slowAssignments)
                        ? world.between(100, 3_000)
                        : world.between(1, 40),
                    () -> {
                      task.run();
                      run();
                    }),
            MemberModel.TYPE,
            world.codec::encode,
            bytes -> Optional.of(world.codec.decode(bytes, Assignment.class)),
            retention());
  }

  private Retention retention() {
    boolean early = world.planted == PlantedFault.FORGETS_POSITIONS_EARLY;
    return new Retention(
        Duration.ofMillis(early ? 1 : world.retentionMs), Duration.ofSeconds(2), world.clock());
  }

  private TopicCatalog catalog() {
    if (world.chance(world.failingAssignments)) {
      oracle.unassigned();
      throw new IllegalStateException("simulated");
    }
    return world.catalog();
  }

  /** As the product computes it: the lease counts from the last contact with the store's server. */
  private Standing standing() {
    if (held != Standing.SERVING) {
      return held;
    }
    if (contactLost && world.now() - lastContact > LEASE_MS) {
      return Standing.LAPSED;
    }
    return connected ? Standing.SERVING : Standing.SUSPENDED;
  }

  boolean isResigned() {
    return held == Standing.RESIGNED;
  }

  boolean reachesStore() {
    return connected && !isStalled();
  }

  boolean isStalled() {
    return stalledUntil > world.now();
  }

  boolean isServing() {
    return alive && !isStalled() && standing() == Standing.SERVING;
  }

  /** Serves the tasks and timers of the shard, unless the process stands still. */
  void run() {
    if (!alive || isStalled() || running) {
      return;
    }
    running = true;
    shard.run();
    running = false;
    long nanos = shard.nanosToNext();
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    long at = world.time.nanos() + Math.max(nanos, 1);
    if (at < wakeAt) {
      wakeAt = at;
      world.time.schedule(
          Duration.ofNanos(at - world.time.nanos()),
          () -> {
            wakeAt = Long.MAX_VALUE;
            run();
          });
    }
  }

  /** {@code answer} is told an {@link Answer}, or what FETCH is answered with. */
  void receive(Ask ask, Consumer<Object> answer) {
    receive(ask, false, answer);
  }

  /** Of a connection that nobody listens to. */
  void receiveStray(Ask ask) {
    if (alive) {
      receive(ask, true, answer -> {});
    }
  }

  private void receive(Ask ask, boolean stray, Consumer<Object> answer) {
    if (!alive) {
      return;
    }
    if (isStalled()) {
      world.after(stalledUntil - world.now(), () -> receive(ask, stray, answer));
      return;
    }
    Ticket ticket = oracle.arrived(this, ask, stray);
    if (ask.kind() == RequestKind.FETCH) {
      shard.fetchOffsets(
          World.GROUP,
          refused -> told(ticket, refused, answer),
          found -> told(ticket, Map.copyOf(found), answer));
    } else if (standing() == Standing.SERVING && planting.forgets(ask)) {
      told(ticket, new Answer.Plain(GroupError.NONE), answer);
    } else {
      shard.request(
          World.GROUP,
          ask.kind(),
          request -> planting.event(ask.event().apply(request)),
          given -> {
            for (Answer each : planting.answers(ask, given)) {
              told(ticket, each, answer);
            }
          });
    }
    run();
    oracle.served(ticket);
  }

  /** An administrator wants the group gone. */
  void delete() {
    long before = cluster.store.deletions;
    shard.request(
        World.GROUP,
        RequestKind.DELETE,
        GroupEvent.DeleteRequested::new,
        answer -> oracle.deleted(answer.error(), cluster.store.deletions > before));
    run();
  }

  private void told(Ticket ticket, Object given, Consumer<Object> answer) {
    oracle.answered(ticket, given);
    answer.accept(given);
  }

  void crash(boolean seen) {
    alive = false;
    oracle.died(this);
    for (Link link : new ArrayList<>(links)) {
      if (seen) {
        world.after(world.delay(), () -> link.lose("its coordinator crashed"));
      } else {
        link.fallSilent();
      }
    }
  }

  /** The whole process stands still, as in a long collection of garbage. */
  void stall(int ms) {
    if (isStalled()) {
      return;
    }
    outOfReach();
    stalledUntil = world.now() + ms;
    world.after(ms, this::reconnect);
  }

  /** The store's server is out of reach for the coordinator alone. */
  void cutOff(int ms) {
    if (!connected) {
      return;
    }
    outOfReach();
    connected = false;
    shard.standingChanged();
    run();
    world.after(ms, this::reconnect);
  }

  private void outOfReach() {
    lastContact = world.now();
    contactLost = true;
    long since = lastContact;
    world.after(
        SESSION_MS,
        () -> {
          if (alive && contactLost && lastContact == since) {
            expired = true;
            cluster.sessionOver(this);
          }
        });
  }

  /** Once more in reach; some time passes until it knows whether it is still the coordinator. */
  private void reconnect() {
    run();
    world.after(
        world.between(5, 200),
        () -> {
          if (!alive || isStalled()) {
            return;
          }
          connected = true;
          if (expired) {
            expired = false;
            fenced();
            return;
          }
          contactLost = false;
          shard.standingChanged();
          run();
        });
  }

  boolean isOutOfReach() {
    return contactLost;
  }

  /** A write has shown, or the session's end has, that another holds the slots. */
  void fenced() {
    if (held != Standing.RESIGNED) {
      world.note(4, () -> this + " resigns");
      held = Standing.RESIGNED;
      contactLost = false;
      shard.standingChanged();
      run();
      oracle.resigned(this);
      cluster.resigned(this);
    }
  }

  /** The slots are this coordinator's. */
  void load(int epoch) {
    store.heldEpoch = epoch;
    held = Standing.LOADING;
    contactLost = false;
    connected = true;
    world.after(
        world.between(2, 400),
        () -> {
          if (!alive || held != Standing.LOADING) {
            return;
          }
          if (epoch != cluster.store.epoch) {
            fenced();
            return;
          }
          var found = cluster.store.read();
          oracle.restored(this);
          shard.restore(
              found.map(group -> Map.of(World.GROUP, group)).orElse(Map.of()), world.catalog());
          held = Standing.SERVING;
          shard.standingChanged();
          world.note(epoch, () -> this + " serves");
          run();
        });
  }

  void topicsChanged(Set<String> topics) {
    if (alive && held == Standing.SERVING) {
      shard.topicsChanged(topics);
      run();
    }
  }

  List<Link> openLinks() {
    return List.copyOf(links);
  }

  @Override
  public String toString() {
    return name;
  }
}
