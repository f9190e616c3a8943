package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.wire.ConsumerBytes;
import io.rebalancer.coordinator.wire.GroupRequests;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.utils.Utils;

/**
 * Classic groups of a production shard on virtual time, a wall clock of its own, and members that
 * do what a consumer does, from the message of their Join on. Group leaders give out topic t by
 * range.
 */
final class CaseStage {

  static final String G = "g1";
  private static final int BEAT_MS = 3_000;
  private static final int STEP_MS = 100;

  final VirtualTime time = new VirtualTime();
  final List<Observation.PhaseChanged> moves = new ArrayList<>();
  final List<Peer> peers = new ArrayList<>();
  final TooSmallStore store;
  int partitions = 3;
  Duration wallIsOff = Duration.ZERO;

  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final Clock wall = new Wall();
  private GroupRules rules;
  private GroupShard shard;
  private int freshIds;

  CaseStage(int initialDelayMs, int maxSize) {
    rules = new GroupRules(initialDelayMs, 6_000, 1_800_000, maxSize);
    store = new TooSmallStore(new MemoryGroupStore(wall));
    shard = shard();
  }

  private GroupShard shard() {
    return new GroupShard(
        new GroupStateMachine(rules),
        store,
        () -> Standing.SERVING,
        new ServerAssignor(() -> TopicCatalog.of(Map.of()), Runnable::run),
        new GroupJournal(
            seen -> {
              if (seen instanceof Observation.PhaseChanged move) {
                moves.add(move);
              }
            },
            time,
            ConsumerBytes.PROTOCOL_TYPE,
            ConsumerBytes::assignment,
            GroupMeter.NONE),
        time,
        loop::add,
        Retention.forEver(wall));
  }

  private final class Wall extends Clock {
    @Override
    public Instant instant() {
      return Instant.ofEpochSecond(1_800_000_000).plusNanos(time.nanos()).plus(wallIsOff);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  /** Another coordinator, of this limit, takes over what the store has. */
  void failOver(int maxSize) {
    rules = new GroupRules(rules.initialRebalanceDelayMs(), 6_000, 1_800_000, maxSize);
    shard = shard();
    shard.restore(store.groups(), TopicCatalog.of(Map.of()));
    settle();
  }

  /** Members send a heartbeat every three seconds. */
  void run(int ms) {
    for (int left = ms; left > 0; left -= STEP_MS) {
      time.advance(Duration.ofMillis(STEP_MS));
      shard.expire();
      settle();
      if (nowMs() % BEAT_MS == 0) {
        List.copyOf(peers).forEach(Peer::beat);
      }
    }
  }

  long nowMs() {
    return time.nanos() / 1_000_000;
  }

  private void settle() {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  void topicChanged() {
    shard.topicsChanged(Set.of("t"));
    settle();
  }

  private void ask(
      String group,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    shard.request(new GroupId(group), kind, event, answer);
    settle();
  }

  GroupState group() {
    List<Optional<GroupState>> found = new ArrayList<>();
    shard.describe(
        new GroupId(G),
        error -> {
          throw new AssertionError(error);
        },
        shown -> found.add(shown.map(Described::state)));
    return found.get(0).orElseThrow();
  }

  /** With those that only have an id yet. */
  int size() {
    return group().hard().members().size() + group().waiting().pending().size();
  }

  /** The members' ids as they joined: name, '-', number. */
  List<String> members() {
    return group().hard().members().keySet().stream().map(MemberId::value).toList();
  }

  /** The generations that members were told of. */
  List<Integer> generations() {
    return moves.stream()
        .filter(move -> move.to().equals("CompletingRebalance"))
        .filter(move -> move.group().value().equals(G))
        .map(Observation.PhaseChanged::generation)
        .toList();
  }

  String phase() {
    return group().phase().toString();
  }

  List<Integer> shares() {
    return peers.stream().map(peer -> peer.owned.size()).toList();
  }

  Peer peer(String name) {
    Peer peer = new Peer(name);
    peers.add(peer);
    return peer;
  }

  /** All of them in a Stable group. */
  List<Peer> stable(String... names) {
    for (String name : names) {
      peer(name).join();
    }
    run(2 * Math.max(rules.initialRebalanceDelayMs(), 100));
    return peers;
  }

  /** One member. What it does by itself can be switched off. */
  final class Peer {
    final String name;
    final List<GroupError> told = new ArrayList<>();
    String group = G;
    String instance = "";
    String id = "";
    int version = 9;
    int sessionMs = 10_000;
    int rebalanceMs = 20_000;
    int generation = -1;
    Assignment owned = Assignment.empty();

    /** Sends heartbeats. */
    boolean beats = true;

    /** Joins again when it is told to. */
    boolean rejoins = true;

    boolean syncs = true;

    /** Asks again at its next heartbeat whatever it was refused with. */
    boolean insists;

    private boolean waits;
    private int asked;

    Peer(String name) {
      this.name = name;
    }

    /** A process that is gone. */
    void die() {
      beats = false;
      rejoins = false;
      owned = Assignment.empty();
    }

    Peer join() {
      JoinGroupRequestData data =
          new JoinGroupRequestData()
              .setGroupId(group)
              .setMemberId(id)
              .setGroupInstanceId(instance.isEmpty() ? null : instance)
              .setSessionTimeoutMs(sessionMs)
              .setRebalanceTimeoutMs(rebalanceMs)
              .setProtocolType("consumer");
      data.protocols()
          .add(
              new JoinGroupRequestProtocol()
                  .setName("range")
                  .setMetadata(
                      Utils.toArray(
                          ConsumerProtocol.serializeSubscription(new Subscription(List.of("t"))))));
      waits = true;
      MemberId fresh = new MemberId(name + "-" + ++freshIds);
      ask(
          group,
          RequestKind.JOIN,
          request ->
              GroupRequests.join(
                  request, (short) version, new ClientInfo(name, "/127.0.0.1", ""), fresh, data),
          current(answer -> joined((Answer.Joined) answer)));
      return this;
    }

    /** Who asks anew has dropped the connection on which it asked before. */
    private Consumer<Answer> current(Consumer<Answer> taken) {
      int number = ++asked;
      return answer -> {
        if (number == asked) {
          taken.accept(answer);
        }
      };
    }

    private void joined(Answer.Joined answer) {
      waits = false;
      if (answer.error() == GroupError.MEMBER_ID_REQUIRED) {
        id = answer.memberId();
        if (rejoins) {
          join();
        }
        return;
      }
      told.add(answer.error());
      if (answer.error() == GroupError.NONE) {
        id = answer.memberId();
        generation = answer.generation();
        if (syncs) {
          sync(answer.skipAssignment() ? List.of() : answer.members());
        }
      } else {
        told(answer.error());
      }
    }

    void sync() {
      sync(List.of());
    }

    private void sync(Collection<Answer.JoinedMember> members) {
      waits = true;
      Map<MemberId, Opaque> parts = byRange(members);
      ask(
          group,
          RequestKind.SYNC,
          request ->
              new GroupEvent.SyncRequested(
                  request, id, instance, generation, "consumer", "range", parts),
          current(answer -> synced((Answer.Synced) answer)));
    }

    private void synced(Answer.Synced answer) {
      waits = false;
      told.add(answer.error());
      if (answer.error() == GroupError.NONE) {
        owned = ConsumerBytes.assignment(answer.assignment()).orElseThrow();
      } else {
        told(answer.error());
      }
    }

    void beat() {
      if (!beats || waits || id.isEmpty()) {
        return;
      }
      if (insists && !told.isEmpty() && told.get(told.size() - 1) != GroupError.NONE) {
        join();
        return;
      }
      told(heartbeat());
    }

    GroupError heartbeat() {
      List<GroupError> errors = new ArrayList<>();
      ask(
          group,
          RequestKind.HEARTBEAT,
          request -> new GroupEvent.HeartbeatRequested(request, id, instance, generation),
          answer -> errors.add(answer.error()));
      return errors.get(0);
    }

    private void told(GroupError error) {
      if (!rejoins) {
        return;
      }
      switch (error) {
        case REBALANCE_IN_PROGRESS -> {
          owned = Assignment.empty();
          join();
        }
        case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> {
          owned = Assignment.empty();
          id = "";
          join();
        }
        default -> {}
      }
    }

    void leave() {
      ask(
          group,
          RequestKind.LEAVE,
          request ->
              new GroupEvent.LeaveRequested(
                  request, List.of(new GroupEvent.Identity(id, instance, ""))),
          answer -> {});
      id = "";
      owned = Assignment.empty();
    }

    GroupError commit(int partition) {
      List<GroupError> errors = new ArrayList<>();
      ask(
          group,
          RequestKind.COMMIT,
          request ->
              new GroupEvent.CommitRequested(
                  request,
                  id,
                  instance,
                  generation,
                  Map.of(
                      new TopicPartition("t", partition),
                      new CommittedOffset(1, -1, "", wall.millis()))),
          answer -> errors.add(answer.error()));
      return errors.get(0);
    }

    GroupError last() {
      return told.get(told.size() - 1);
    }
  }

  private Map<MemberId, Opaque> byRange(Collection<Answer.JoinedMember> members) {
    List<MemberId> ids =
        members.stream()
            .map(Answer.JoinedMember::id)
            .sorted((a, b) -> a.value().compareTo(b.value()))
            .toList();
    Map<MemberId, Opaque> parts = new LinkedHashMap<>();
    int next = 0;
    for (int i = 0; i < ids.size(); i++) {
      int count = partitions / ids.size() + (i < partitions % ids.size() ? 1 : 0);
      PartitionSet share = PartitionSet.range(next, count);
      next += count;
      parts.put(
          ids.get(i),
          ConsumerBytes.encode(
              count == 0
                  ? Assignment.empty()
                  : Assignment.copyOf(new TreeMap<>(Map.of("t", share)))));
    }
    return parts;
  }

  /** In memory; takes assignments up to a number of members. */
  static final class TooSmallStore implements GroupStore {
    int maxMembers = Integer.MAX_VALUE;
    int refused;
    private final MemoryGroupStore all;

    TooSmallStore(MemoryGroupStore all) {
      this.all = all;
    }

    Map<GroupId, StoredGroup> groups() {
      return all.groups;
    }

    @Override
    public CompletableFuture<Void> save(GroupId group, HardState state) {
      if (state.members().size() > maxMembers) {
        refused++;
        return CompletableFuture.failedFuture(
            new StoreException(
                StoreException.Reason.TOO_LARGE, "/g: 1200000 bytes (expected: <= 1000000)"));
      }
      return all.save(group, state);
    }

    @Override
    public CompletableFuture<Void> saveOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed) {
      return all.saveOffsets(group, stored, changed);
    }

    @Override
    public CompletableFuture<Void> deleteOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone) {
      return all.deleteOffsets(group, stored, gone);
    }

    @Override
    public CompletableFuture<Void> delete(GroupId group) {
      return all.delete(group);
    }

    @Override
    public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
      return all.load(group);
    }
  }
}
