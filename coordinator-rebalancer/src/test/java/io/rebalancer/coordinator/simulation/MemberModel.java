package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One process with a Kafka consumer of the classic protocol, as its Java client behaves: a thread
 * of the application that polls, takes up and gives up partitions and joins ({@link Joins}), and a
 * thread that heartbeats ({@link Heart}). What they share is here.
 */
final class MemberModel {

  static final String TYPE = "consumer";
  static final int REQUEST_TIMEOUT_MS = 4_000;
  static final int NO_GENERATION = -1;

  enum Phase {
    UNJOINED,
    JOINING,
    SYNCING,
    STABLE
  }

  /** A Sync's answer that the application's thread has not taken up yet. */
  record Ready(int generation, Assignment share) {}

  private final World world;
  private final Oracle oracle;
  private final Cluster cluster;
  final String name;
  final Profile profile;
  final Heart heart;
  private final Joins joins;
  private final Positions positions;

  Link link;
  private boolean seeking;
  boolean alive = true;
  boolean leaving;
  Phase phase = Phase.UNJOINED;
  String memberId = "";
  int generation = NO_GENERATION;
  int syncedGeneration = NO_GENERATION;
  Assignment owned = Assignment.empty();
  Assignment last = Assignment.empty();
  Set<String> topics;
  Map<String, PartitionSet> known;
  Map<String, PartitionSet> assignedBy;
  Ready ready;
  boolean rejoin = true;
  private boolean lost;
  private boolean pollPlanned;
  long blockedSince;
  long blockedUntil;
  private long frozenUntil;
  long lastAnswer;

  /** Whether the coordinator has answered it over its present connection. */
  boolean answered;

  MemberModel(
      World world,
      Oracle oracle,
      Cluster cluster,
      String name,
      Profile profile,
      Set<String> topics) {
    this.world = world;
    this.oracle = oracle;
    this.cluster = cluster;
    this.name = name;
    this.profile = profile;
    this.topics = topics;
    heart = new Heart(world, oracle, this);
    joins = new Joins(world, oracle, this);
    positions = new Positions(world, oracle, this);
    known = world.partitions();
  }

  // What happens to the process.

  void start() {
    world.note(7, () -> name + " starts: " + profile + " " + topics);
    wantPoll();
    positions.plan();
  }

  void crash(boolean seen) {
    world.note(8, () -> name + " crashes");
    end();
  }

  void end() {
    alive = false;
    oracle.ownership.stops(this, oracle.ownership.processed(this));
    if (link != null) {
      link.close();
      link = null;
    }
  }

  /** It gives everything up, says good-bye, and is gone a moment later. */
  void leave() {
    if (!alive || leaving) {
      return;
    }
    world.note(9, () -> name + " leaves");
    leaving = true;
    oracle.ownership.stops(this, oracle.ownership.processed(this));
    owned = Assignment.empty();
    sendLeave();
    world.after(100, this::end);
  }

  void sendLeave() {
    if (link != null && !memberId.isEmpty() && !profile.isStatic()) {
      String id = memberId;
      send(
          RequestKind.LEAVE,
          request ->
              new GroupEvent.LeaveRequested(request, List.of(new GroupEvent.Identity(id, "", ""))),
          REQUEST_TIMEOUT_MS,
          answer -> {});
    }
  }

  void block(int ms) {
    world.note(10, () -> name + "'s application blocks for " + ms + " ms");
    if (blockedUntil <= world.now()) {
      blockedSince = world.now();
    }
    blockedUntil = Math.max(blockedUntil, world.now() + ms);
  }

  void freeze(int ms) {
    world.note(11, () -> name + " stands still for " + ms + " ms");
    frozenUntil = Math.max(frozenUntil, world.now() + ms);
  }

  void cut(boolean seen) {
    if (link == null) {
      return;
    }
    if (seen) {
      link.lose("cut");
    } else {
      link.fallSilent();
    }
  }

  void subscribe(Set<String> next) {
    if (!topics.equals(next)) {
      world.note(12, () -> name + " subscribes to " + next);
      topics = next;
      rejoin = true;
      wantPoll();
    }
  }

  /** The client learns of topics when its metadata is old enough. */
  void learnTopicsLater() {
    world.after(world.between(10, 4000), this::learnTopics);
  }

  private void learnTopics() {
    if (!alive) {
      return;
    }
    if (frozenFor() > 0) {
      world.after(frozenFor(), this::learnTopics);
      return;
    }
    known = world.partitions();
    if (assignedBy != null && !assignedBy.equals(known)) {
      world.note(13, () -> name + " leads and sees that topics changed");
      rejoin = true;
      wantPoll();
    }
  }

  long frozenFor() {
    return Math.max(0, frozenUntil - world.now());
  }

  // What is asked of it.

  boolean isAlive() {
    return alive;
  }

  boolean isLeaving() {
    return leaving;
  }

  String memberId() {
    return memberId;
  }

  Assignment owned() {
    return owned;
  }

  Set<String> topics() {
    return topics;
  }

  int generation() {
    return generation;
  }

  void heard() {
    lastAnswer = world.now();
    answered = true;
  }

  boolean isSettled() {
    return phase == Phase.STABLE
        && !rejoin
        && !lost
        && ready == null
        && link != null
        && link.isSound()
        && answered
        && Math.max(blockedUntil, frozenUntil) <= world.now()
        && (assignedBy == null || assignedBy.equals(world.partitions()));
  }

  // The application's thread.

  void wantPoll() {
    if (!pollPlanned && alive && !leaving) {
      pollPlanned = true;
      long free = Math.max(blockedUntil, frozenUntil) - world.now();
      world.after(Math.max(free, world.between(1, profile.pollMs())), this::pollDue);
    }
  }

  private void pollDue() {
    long wait = Math.max(blockedUntil, frozenUntil) - world.now();
    if (wait > 0 && alive) {
      world.after(wait, this::pollDue);
      return;
    }
    pollPlanned = false;
    if (alive && !leaving) {
      poll();
    }
  }

  private void poll() {
    if (ready != null) {
      takeUp();
    }
    if (!rejoin || phase == Phase.JOINING || phase == Phase.SYNCING) {
      return;
    }
    if (link == null) {
      seek();
      return;
    }
    prepare();
    joins.send();
  }

  private void takeUp() {
    Ready told = ready;
    ready = null;
    if (told.generation() != generation) {
      rejoin = true;
      return;
    }
    syncedGeneration = generation;
    Assignment revoked = owned.minus(told.share());
    owned = told.share();
    last = owned;
    oracle.ownership.stops(this, revoked);
    oracle.ownership.starts(this, owned);
    if (profile.cooperative() && !revoked.isEmpty()) {
      world.note(14, () -> name + " gives up " + revoked + " and joins again");
      rejoin = true;
    }
    positions.fetch();
  }

  /** Before a Join: what it may not keep through the rebalance. */
  private void prepare() {
    if (lost || generation == NO_GENERATION) {
      oracle.ownership.stops(this, oracle.ownership.processed(this));
      owned = Assignment.empty();
      lost = false;
    } else if (!profile.cooperative()) {
      positions.commit();
      oracle.ownership.stops(this, owned);
      owned = Assignment.empty();
    } else {
      Assignment kept = subscribed(owned);
      oracle.ownership.stops(this, owned.minus(kept));
      owned = kept;
    }
    if (profile.era() == Era.V2_4) {
      oracle.ownership.stops(this, owned);
    }
  }

  private Assignment subscribed(Assignment all) {
    return Assignment.copyOf(
        all.topics().entrySet().stream()
            .filter(e -> topics.contains(e.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** Another process has its instance id: a fatal error, to the Java client too. */
  void fenced() {
    world.note(19, () -> name + " is fenced and ends");
    end();
  }

  /** What it owns is lost; the application's thread will notice at its next poll. */
  void reset(boolean withId) {
    if (withId) {
      memberId = "";
    }
    generation = NO_GENERATION;
    ready = null;
    lost = true;
    rejoin = true;
    if (phase == Phase.STABLE) {
      phase = Phase.UNJOINED;
    }
    wantPoll();
  }

  // The connection.

  void send(
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      int timeoutMs,
      Consumer<Object> handler) {
    if (link != null) {
      link.send(new Ask(kind, this, memberId, generation, Map.of(), event), timeoutMs, handler);
    }
  }

  void forgetCoordinator() {
    if (link != null) {
      link.close();
      disconnected(link);
    }
  }

  void disconnected(Link ended) {
    if (ended != link) {
      return;
    }
    link = null;
    if (phase == Phase.JOINING || phase == Phase.SYNCING) {
      phase = Phase.UNJOINED;
      rejoin = true;
    }
    if (rejoin) {
      wantPoll();
    } else {
      seek();
    }
  }

  void seek() {
    if (!seeking && alive && link == null) {
      seeking = true;
      world.after(1 + 2L * world.delay(), this::found);
    }
  }

  private void found() {
    if (!alive) {
      return;
    }
    if (frozenFor() > 0) {
      world.after(frozenFor(), this::found);
      return;
    }
    cluster
        .coordinator()
        .ifPresentOrElse(
            node -> {
              seeking = false;
              lastAnswer = world.now();
              answered = false;
              link = new Link(world, oracle, this, node);
              if (rejoin) {
                wantPoll();
              }
              heart.beatNow();
            },
            () -> world.after(world.between(100, 200), this::found));
  }

  @Override
  public String toString() {
    return name;
  }
}
