package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.wire.AdminMessages;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One shard with its store on virtual time, which the wall clock follows. Joins take 100 ms of
 * initial delay; sessions last 10 s, rebalances 20 s.
 */
final class ShardStage {

  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 20_000;

  final VirtualTime time = new VirtualTime();
  final Clock wall = new Wall();
  final MemoryGroupStore store = new MemoryGroupStore(wall);
  final Deque<Runnable> loop = new ArrayDeque<>();
  Standing standing = Standing.SERVING;
  GroupShard shard;
  private final Retention retention;

  ShardStage(Duration period, Duration checkInterval) {
    retention = new Retention(period, checkInterval, wall);
    shard = shard();
  }

  private GroupShard shard() {
    return new GroupShard(
        new GroupStateMachine(new GroupRules(100, 6_000, 60_000, 100)),
        store,
        () -> standing,
        new ServerAssignor(() -> TopicCatalog.of(Map.of()), Runnable::run),
        new GroupJournal(
            o -> {}, time, "consumer", bytes -> Optional.of(Assignment.empty()), GroupMeter.NONE),
        time,
        loop::add,
        retention);
  }

  private final class Wall extends Clock {
    @Override
    public Instant instant() {
      return Instant.ofEpochSecond(1_800_000_000).plusNanos(time.nanos());
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

  void runLoop() {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  /** In steps, so that timers and checks come one after the other as they do. */
  void advance(long ms) {
    for (long left = ms; left > 0; left -= 500) {
      time.advance(Duration.ofMillis(Math.min(500, left)));
      shard.expire();
      runLoop();
    }
  }

  /** Another coordinator takes over what the store has. */
  void restart() {
    shard = shard();
    shard.restore(store.groups, TopicCatalog.of(Map.of()));
    runLoop();
  }

  /** What the request is answered with; empty while it is parked. */
  List<Answer> ask(String group, RequestKind kind, Function<RequestId, GroupEvent> event) {
    List<Answer> answers = new ArrayList<>();
    shard.request(new GroupId(group), kind, event, answers::add);
    runLoop();
    return answers;
  }

  List<Answer> join(String group, String member, boolean first, String... topics) {
    return ask(
        group,
        RequestKind.JOIN,
        request ->
            new GroupEvent.JoinRequested(
                request,
                first ? "" : member,
                new MemberId(member),
                false,
                false,
                "",
                new ClientInfo("client of " + member, "/127.0.0.1", "test"),
                SESSION_MS,
                REBALANCE_MS,
                "consumer",
                List.of(new Protocol("range", Opaque.copyOf(new byte[] {1}))),
                Set.of(topics),
                Kept.NOTHING,
                ""));
  }

  List<Answer> sync(String group, String member, int generation) {
    return sync(group, member, generation, 0);
  }

  /** As a group leader that lets partitions wait for so long. */
  List<Answer> sync(String group, String member, int generation, int delayMs) {
    return ask(
        group,
        RequestKind.SYNC,
        request ->
            new GroupEvent.SyncRequested(
                request, member, "", generation, "", "", Map.of(), delayMs));
  }

  /** One member, alone in a Stable group of generation 1. */
  void stable(String group, String member, String... topics) {
    join(group, member, true, topics);
    advance(100);
    sync(group, member, 1);
  }

  void leave(String group, String member) {
    ask(
        group,
        RequestKind.LEAVE,
        request ->
            new GroupEvent.LeaveRequested(
                request, List.of(new GroupEvent.Identity(member, "", ""))));
  }

  GroupError heartbeat(String group, String member, int generation) {
    return ask(
            group,
            RequestKind.HEARTBEAT,
            request -> new GroupEvent.HeartbeatRequested(request, member, "", generation))
        .get(0)
        .error();
  }

  /** By nobody, as an administrator or a consumer without membership does. */
  GroupError commit(String group, TopicPartition partition, long offset) {
    return commit(group, "", -1, partition, offset);
  }

  GroupError commit(
      String group, String member, int generation, TopicPartition partition, long offset) {
    return ask(
            group,
            RequestKind.COMMIT,
            request ->
                new GroupEvent.CommitRequested(
                    request,
                    member,
                    "",
                    generation,
                    Map.of(partition, new CommittedOffset(offset, -1, "", wall.millis()))))
        .get(0)
        .error();
  }

  List<Answer> delete(String group) {
    return ask(group, RequestKind.DELETE, GroupEvent.DeleteRequested::new);
  }

  List<Answer> deleteOffsets(String group, TopicPartition... partitions) {
    return ask(
        group,
        RequestKind.OFFSET_DELETE,
        request -> new GroupEvent.OffsetDeleteRequested(request, Set.of(partitions)));
  }

  /** Positions by partition, as a client is told. */
  Map<String, Long> offsets(String group) {
    Map<String, Long> found = new TreeMap<>();
    shard.fetchOffsets(
        new GroupId(group),
        error -> {
          throw new AssertionError(error);
        },
        stored -> stored.forEach((each, offset) -> found.put(each.toString(), offset.offset())));
    return found;
  }

  /** Group and state, in the order of names. */
  List<String> list() {
    List<String> found = new ArrayList<>();
    shard.list(
        error -> {
          throw new AssertionError(error);
        },
        groups -> groups.forEach(group -> found.add(group.id() + " " + group.phase())));
    found.sort(null);
    return found;
  }

  Optional<GroupState> describe(String group) {
    return described(group).map(Described::state);
  }

  /** The protocol as DescribeGroups tells it, with what is left of a delay. */
  String describedProtocol(String group) {
    return AdminMessages.described(described(group).orElseThrow()).protocolData();
  }

  private Optional<Described> described(String group) {
    List<Optional<Described>> found = new ArrayList<>();
    shard.describe(
        new GroupId(group),
        error -> {
          throw new AssertionError(error);
        },
        found::add);
    return found.get(0);
  }
}
