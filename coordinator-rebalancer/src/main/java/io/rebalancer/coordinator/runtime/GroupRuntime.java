package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All groups of a coordinator on a fixed number of event loops; a group belongs to one of them for
 * ever. Thread-safe; answers are given on a loop's thread, or on the caller's when it is refused.
 */
public final class GroupRuntime implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GroupRuntime.class);

  private record Lane(EventLoop loop, GroupShard shard) {}

  private final List<Lane> lanes = new ArrayList<>();
  private final Leadership leadership;
  private final ExecutorService assigning;
  private final LogEnds ends;

  /** Starts {@code loops} threads, and one for assignments. */
  public GroupRuntime(
      int loops,
      GroupStateMachine machine,
      GroupStore store,
      Leadership leadership,
      TopicSource topics,
      RebalanceObserver observer,
      Ticker ticker,
      MemberBytes bytes,
      Retention retention,
      GroupMeter meter) {
    this.leadership = leadership;
    assigning =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "coordinator-assignments");
              thread.setDaemon(true);
              return thread;
            });
    ServerAssignor assignor = new ServerAssignor(topics, assigning, bytes.rack());
    ends = new LogEnds(store);
    for (int i = 0; i < loops; i++) {
      EventLoop loop = new EventLoop("coordinator-groups-" + i);
      GroupJournal journal =
          new GroupJournal(observer, ticker, bytes.protocolType(), bytes.assignment(), meter);
      GroupShard shard =
          new GroupShard(
              machine, ends, leadership, assignor, journal, ticker, loop::execute, retention);
      loop.start(shard);
      lanes.add(new Lane(loop, shard));
    }
  }

  /** A member id that nobody else has: it starts with the client id, so that ids sort by it. */
  public static MemberId freshMemberId(String clientId) {
    return new MemberId(clientId + "-" + UUID.randomUUID());
  }

  /** Hands a request to its group; {@code answer} is called exactly once. */
  public void request(
      GroupId group,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    Lane lane = lane(group);
    if (!lane.loop().offer(() -> lane.shard().request(group, kind, event, answer))) {
      answer.accept(new Answer.Plain(kind.busy()));
    }
  }

  /** Exactly one of the two is called; the map must be read before the call returns. */
  public void fetchOffsets(
      GroupId group,
      Consumer<GroupError> refused,
      Consumer<Map<TopicPartition, CommittedOffset>> answer) {
    Lane lane = lane(group);
    if (!lane.loop().offer(() -> lane.shard().fetchOffsets(group, refused, answer))) {
      refused.accept(RequestKind.FETCH.busy());
    }
  }

  /** Exactly one of the two is called; the answer is empty for a group that nobody knows. */
  public void describe(
      GroupId group, Consumer<GroupError> refused, Consumer<Optional<Described>> answer) {
    Lane lane = lane(group);
    if (!lane.loop().offer(() -> lane.shard().describe(group, refused, answer))) {
      refused.accept(RequestKind.DESCRIBE.busy());
    }
  }

  /** All groups by name; exactly one of the two is called. */
  public void list(Consumer<GroupError> refused, Consumer<List<GroupState>> answer) {
    GroupListing listing = new GroupListing(lanes.size(), refused, answer);
    for (Lane lane : lanes) {
      if (!lane.loop().offer(() -> lane.shard().list(listing::refuse, listing::add))) {
        listing.refuse(RequestKind.LIST.busy());
      }
    }
  }

  /** Whether clients should come here at all. */
  public boolean isCoordinating() {
    return leadership.standing() != Standing.RESIGNED;
  }

  /** How far the partition's log reaches at least: the furthest position of any group. */
  public long logEnd(TopicPartition partition) {
    return ends.of(partition);
  }

  /** Takes over groups that were read from the store; {@code catalog} is of the same moment. */
  public void restore(Map<GroupId, StoredGroup> groups, TopicCatalog catalog) {
    groups.values().forEach(stored -> ends.note(stored.offsets()));
    Map<Lane, Map<GroupId, StoredGroup>> byLane = new HashMap<>();
    groups.forEach(
        (id, stored) -> byLane.computeIfAbsent(lane(id), l -> new HashMap<>()).put(id, stored));
    byLane.forEach((lane, part) -> lane.loop().execute(() -> lane.shard().restore(part, catalog)));
  }

  public void topicsChanged(Set<String> topics) {
    lanes.forEach(lane -> lane.loop().execute(() -> lane.shard().topicsChanged(topics)));
  }

  /** To be called whenever {@link Leadership#standing} gives something new. */
  public void standingChanged() {
    lanes.forEach(lane -> lane.loop().execute(lane.shard()::standingChanged));
  }

  /** Returns when everything asked of the loops before has been done, or after {@code limit}. */
  public void settle(Duration limit) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(lanes.size());
    lanes.forEach(lane -> lane.loop().execute(done::countDown));
    if (!done.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn("groups still busy after {} ms", limit.toMillis());
    }
  }

  private Lane lane(GroupId group) {
    return lanes.get(Math.floorMod(group.value().hashCode(), lanes.size()));
  }

  /** Stops the loops; what they hold is not answered. */
  @Override
  public void close() {
    lanes.forEach(lane -> lane.loop().close());
    assigning.shutdownNow();
  }
}
