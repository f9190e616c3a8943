package io.rebalancer.coordinator.runtime;

import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.group.Shares;
import io.rebalancer.coordinator.wire.AdminMessages;
import io.rebalancer.coordinator.wire.ConsumerBytes;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A server-assigned group of a production shard on virtual time, and member models that speak its
 * state machine's own language. After every step no partition may have two owners.
 */
final class ServedStage {

  static final GroupId G = new GroupId("g");
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 60_000;
  private static final int BEAT_MS = 1_000;
  private static final int STEP_MS = 100;

  final VirtualTime time = new VirtualTime();
  final List<Observation> observed = new ArrayList<>();
  final Map<String, PartitionSet> topics = new TreeMap<>();
  final Map<String, Peer> peers = new LinkedHashMap<>();
  final List<HardState> saved = new ArrayList<>();

  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final String assignor;
  private final int delayMs;
  private GroupShard shard;
  private boolean storeFails;
  private boolean assignorFails;
  private int maxSize = 100;

  /** How many assignments have failed. */
  int notAssigned;

  /** How many partitions were given and taken, and how many groups are in which state. */
  String counts = "";

  private final class Counts implements GroupMeter {
    private int assigned;
    private int revoked;
    private final Map<GroupPhase, Integer> groups = new TreeMap<>();

    @Override
    public void phase(@Nullable GroupPhase from, @Nullable GroupPhase to) {
      if (from != null && groups.merge(from, -1, Integer::sum) == 0) {
        groups.remove(from);
      }
      if (to != null) {
        groups.merge(to, 1, Integer::sum);
      }
      tell();
    }

    @Override
    public void partitions(int given, int taken) {
      assigned += given;
      revoked += taken;
      tell();
    }

    @Override
    public void notAssigned() {
      notAssigned++;
    }

    private void tell() {
      counts = assigned + " assigned, " + revoked + " revoked, " + groups;
    }
  }

  ServedStage(String assignor, int delayMs) {
    this.assignor = assignor;
    this.delayMs = delayMs;
    shard = newShard();
  }

  private GroupShard newShard() {
    return new GroupShard(
        new GroupStateMachine(
            new GroupRules(
                3_000, 6_000, 1_800_000, maxSize, g -> GroupOptions.server(assignor, delayMs)),
            ConsumerBytes::encode),
        new InstantStore(),
        () -> Standing.SERVING,
        new ServerAssignor(this::assignable, Runnable::run),
        new GroupJournal(
            observed::add,
            time,
            ConsumerBytes.PROTOCOL_TYPE,
            ConsumerBytes::assignment,
            new Counts()),
        time,
        loop::add,
        Retention.forEver(Clock.systemUTC()));
  }

  /** Another coordinator takes over from what is stored; what waited is never answered. */
  void failOver() {
    loop.clear();
    shard = newShard();
    HardState stored = saved.get(saved.size() - 1);
    shard.restore(Map.of(G, new StoredGroup(stored, Map.of())), catalog());
    settle();
  }

  /** One whose limit of members is another. */
  void failOver(int maxSize) {
    this.maxSize = maxSize;
    failOver();
  }

  private TopicCatalog assignable() {
    if (assignorFails) {
      throw new IllegalStateException("as the test wants it");
    }
    return catalog();
  }

  private TopicCatalog catalog() {
    Map<String, TopicInfo> all = new HashMap<>();
    topics.forEach(
        (name, set) -> all.put(name, new TopicInfo(name, new UUID(1, name.hashCode()), set)));
    return TopicCatalog.of(all);
  }

  static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  /** A group in which everybody has what it is to have. */
  ServedStage restored(Map<String, Assignment> owned) {
    Map<MemberId, Member> members = new LinkedHashMap<>();
    Map<MemberId, Share> shares = new LinkedHashMap<>();
    owned.forEach(
        (name, share) -> {
          MemberId id = new MemberId(name + "-0");
          members.put(id, member(name, id));
          shares.put(id, new Share(7, share, share, share));
          Peer peer = peer(name, true);
          peer.id = id.value();
          peer.generation = 7;
          peer.owned = share;
        });
    HardState state =
        new HardState(7, "consumer", "uniform", "", members, new Shares(shares, new TreeMap<>()));
    shard.restore(Map.of(G, new StoredGroup(state, Map.of())), catalog());
    settle();
    return this;
  }

  private static Member member(String name, MemberId id) {
    return new Member(
        id,
        "",
        client(name),
        SESSION_MS,
        REBALANCE_MS,
        List.of(new Protocol("range", Opaque.empty())),
        Set.of("t"),
        Opaque.empty());
  }

  private static ClientInfo client(String name) {
    return new ClientInfo(name, "/127.0.0.1", "");
  }

  Peer peer(String name, boolean cooperative) {
    Peer peer = new Peer(name, cooperative);
    peers.put(name, peer);
    return peer;
  }

  void topic(String name, int partitions) {
    topics.put(name, PartitionSet.range(0, partitions));
    shard.topicsChanged(Set.of(name));
    settle();
  }

  void failAssignor(boolean fails) {
    assignorFails = fails;
  }

  void failStore(boolean fails) {
    storeFails = fails;
  }

  /** Members send heartbeats as time goes by. */
  void run(int ms) {
    for (int passed = 0; passed < ms; passed += STEP_MS) {
      time.advance(Duration.ofMillis(STEP_MS));
      shard.expire();
      settle();
      if (time.nanos() / 1_000_000 % BEAT_MS == 0) {
        peers.values().forEach(Peer::beat);
        settle();
      }
    }
  }

  private void settle() {
    while (!loop.isEmpty()) {
      loop.remove().run();
      checkOwners();
    }
  }

  private void checkOwners() {
    Assignment all = Assignment.empty();
    for (Peer peer : peers.values()) {
      Assignment twice = all.and(peer.owned);
      if (!peer.isDead && !twice.isEmpty()) {
        throw new AssertionError(twice + " has two owners: " + owners());
      }
      all = peer.isDead ? all : all.plus(peer.owned);
    }
  }

  Map<String, Assignment> owners() {
    Map<String, Assignment> owners = new TreeMap<>();
    peers.forEach((name, peer) -> owners.put(name, peer.owned));
    return owners;
  }

  /** What an administrator is shown as the group's protocol. */
  String describedProtocol() {
    List<String> shown = new ArrayList<>();
    shard.describe(
        G,
        error -> shown.add(error.toString()),
        found -> shown.add(AdminMessages.described(found.orElseThrow()).protocolData()));
    return shown.get(0);
  }

  List<String> phases() {
    return observed.stream()
        .filter(Observation.PhaseChanged.class::isInstance)
        .map(Observation.PhaseChanged.class::cast)
        .map(moved -> moved.to() + " " + moved.reason())
        .toList();
  }

  private void ask(
      RequestKind kind, Function<RequestId, GroupEvent> event, Consumer<Answer> answer) {
    shard.request(G, kind, event, answer);
  }

  /** One member, which does what a consumer does when its application polls at once. */
  final class Peer {
    final String name;
    final List<String> calls = new ArrayList<>();
    private final boolean cooperative;
    Set<String> wants = Set.of("t");
    String instance = "";
    String id = "";
    int generation = -1;
    Assignment owned = Assignment.empty();
    GroupError last = GroupError.NONE;
    int delayMs;
    boolean isDead;
    boolean isStubborn;
    int incarnation;
    private boolean joining;

    Peer(String name, boolean cooperative) {
      this.name = name;
      this.cooperative = cooperative;
    }

    Peer join() {
      if (!cooperative) {
        change(Assignment.empty());
      }
      joining = true;
      sendJoin(new Kept(owned, generation), answer -> joined((Answer.Joined) answer));
      settle();
      return this;
    }

    /** An earlier Join arrives only now, from a connection that was given up. */
    void lateJoin(Assignment kept, int inGeneration) {
      sendJoin(new Kept(kept, inGeneration), answer -> {});
      settle();
    }

    private void sendJoin(Kept kept, Consumer<Answer> answer) {
      MemberId fresh = new MemberId(name + "-" + ++incarnation);
      ask(
          RequestKind.JOIN,
          request ->
              new GroupEvent.JoinRequested(
                  request,
                  id,
                  fresh,
                  true,
                  true,
                  instance,
                  client(name),
                  SESSION_MS,
                  REBALANCE_MS,
                  "consumer",
                  List.of(new Protocol("range", Opaque.empty())),
                  wants,
                  kept,
                  ""),
          answer);
    }

    private void joined(Answer.Joined answer) {
      last = answer.error();
      if (answer.error() == GroupError.MEMBER_ID_REQUIRED) {
        id = answer.memberId();
        join();
      } else if (answer.error() == GroupError.NONE) {
        id = answer.memberId();
        generation = answer.generation();
        sync();
      } else if (answer.error() == GroupError.UNKNOWN_MEMBER_ID) {
        lose();
        join();
      } else if (answer.error() == GroupError.GROUP_MAX_SIZE_REACHED) {
        lose();
        isDead = true;
      }
      // Else it stays silent until it is told to join again.
    }

    private void sync() {
      ask(
          RequestKind.SYNC,
          request ->
              new GroupEvent.SyncRequested(
                  request, id, instance, generation, "consumer", "range", Map.of()),
          answer -> synced((Answer.Synced) answer));
    }

    private void synced(Answer.Synced answer) {
      joining = false;
      last = answer.error();
      if (answer.error() == GroupError.NONE) {
        Assignment next = ConsumerBytes.assignment(answer.assignment()).orElseThrow();
        boolean revoked = !owned.minus(next).isEmpty();
        change(next);
        if (revoked && cooperative) {
          join();
        }
      }
    }

    private void change(Assignment next) {
      Assignment revoked = owned.minus(next);
      Assignment added = next.minus(owned);
      owned = next;
      if (!revoked.isEmpty()) {
        calls.add("revoked " + revoked);
      }
      if (!added.isEmpty()) {
        calls.add("assigned " + added);
      }
    }

    private void lose() {
      calls.add("lost " + owned);
      owned = Assignment.empty();
      id = "";
      generation = -1;
    }

    void beat() {
      if (isDead || joining || id.isEmpty()) {
        return;
      }
      ask(
          RequestKind.HEARTBEAT,
          request -> new GroupEvent.HeartbeatRequested(request, id, instance, generation),
          answer -> {
            delayMs = ((Answer.Plain) answer).delayMs();
            told(answer.error());
          });
    }

    private void told(GroupError error) {
      last = error;
      switch (error) {
        case REBALANCE_IN_PROGRESS -> {
          if (!isStubborn) {
            join();
          }
        }
        case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
          lose();
          join();
        }
        default -> {}
      }
    }

    void leave() {
      change(Assignment.empty());
      ask(
          RequestKind.LEAVE,
          request ->
              new GroupEvent.LeaveRequested(
                  request, List.of(new GroupEvent.Identity(id, instance, ""))),
          answer -> last = answer.error());
      isDead = true;
      settle();
    }

    /** Its process is gone: nothing is processed, and nothing said. */
    void die() {
      isDead = true;
      owned = Assignment.empty();
    }

    /** A new process, which remembers nothing. */
    void comeBack() {
      isDead = false;
      id = "";
      generation = -1;
      owned = Assignment.empty();
      join();
    }

    GroupError commit(int inGeneration) {
      GroupError[] error = new GroupError[1];
      ask(
          RequestKind.COMMIT,
          request ->
              new GroupEvent.CommitRequested(
                  request,
                  id,
                  instance,
                  inGeneration,
                  Map.of(new TopicPartition("t", 0), new CommittedOffset(1, -1, "", 0))),
          answer -> error[0] = answer.error());
      settle();
      return requireNonNull(error[0]);
    }
  }

  private final class InstantStore implements GroupStore {

    @Override
    public CompletableFuture<Void> save(GroupId group, HardState state) {
      if (storeFails) {
        return CompletableFuture.failedFuture(
            new StoreException(StoreException.Reason.UNAVAILABLE, "not now"));
      }
      saved.add(state);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> saveOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> deleteOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone) {
      throw new IllegalStateException("no positions are removed here");
    }

    @Override
    public CompletableFuture<Void> delete(GroupId group) {
      throw new IllegalStateException("no group is removed here");
    }

    @Override
    public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
      return CompletableFuture.completedFuture(
          saved.isEmpty()
              ? Optional.empty()
              : Optional.of(new StoredGroup(saved.get(saved.size() - 1), Map.of())));
    }
  }
}
