package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_LOAD_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.NOT_COORDINATOR;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_SERVER_ERROR;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One shard on virtual time, over a store whose writes end when the test says so. */
class GroupShardTest {

  private static final GroupId G = new GroupId("g");
  private static final MemberId A = new MemberId("a");
  private static final MemberId B = new MemberId("b");

  private final VirtualTime time = new VirtualTime();
  private final List<Observation> observed = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final HeldStore store = new HeldStore();
  private final Deque<Runnable> loop = new ArrayDeque<>();
  private Standing standing = Standing.SERVING;
  private final GroupShard shard =
      new GroupShard(
          new GroupStateMachine(new GroupRules(100, 6_000, 60_000, 100)),
          store,
          () -> standing,
          new ServerAssignor(() -> TopicCatalog.of(Map.of()), Runnable::run),
          new GroupJournal(
              observed::add,
              time,
              "consumer",
              bytes -> Optional.of(Assignment.empty()),
              GroupMeter.NONE),
          time,
          loop::add,
          Retention.forEver(Clock.systemUTC()));

  /** Keeps what it was given; nothing is stored until {@link #release}. */
  private static final class HeldStore implements GroupStore {
    final Map<GroupId, HardState> states = new HashMap<>();
    final Deque<Runnable> held = new ArrayDeque<>();
    int offsetWrites;

    @Override
    public CompletableFuture<Void> save(GroupId group, HardState state) {
      CompletableFuture<Void> result = new CompletableFuture<>();
      held.add(
          () -> {
            states.put(group, state);
            result.complete(null);
          });
      return result;
    }

    @Override
    public CompletableFuture<Void> saveOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed) {
      offsetWrites++;
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> deleteOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> delete(GroupId group) {
      CompletableFuture<Void> result = new CompletableFuture<>();
      held.add(
          () -> {
            states.remove(group);
            result.complete(null);
          });
      return result;
    }

    @Override
    public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
      return CompletableFuture.completedFuture(
          Optional.ofNullable(states.get(group)).map(s -> new StoredGroup(s, Map.of())));
    }

    void release() {
      while (!held.isEmpty()) {
        held.remove().run();
      }
    }
  }

  private void runLoop() {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  private void advance(long ms) {
    time.advance(Duration.ofMillis(ms));
    shard.expire();
    runLoop();
  }

  private void join() {
    join(A);
  }

  /** Of a stable group's second member it stays parked, since the first has not come yet. */
  private void join(MemberId fresh) {
    shard.request(
        G,
        RequestKind.JOIN,
        request ->
            new GroupEvent.JoinRequested(
                request,
                "",
                fresh,
                false,
                true,
                "",
                new ClientInfo("c", "h", "s"),
                10_000,
                20_000,
                "consumer",
                List.of(new Protocol("range", Opaque.empty())),
                Set.of("t"),
                Kept.NOTHING,
                ""),
        answers::add);
  }

  private void sync(int generation) {
    shard.request(
        G,
        RequestKind.SYNC,
        request -> new GroupEvent.SyncRequested(request, "a", "", generation, "", "", Map.of()),
        answers::add);
  }

  private void heartbeat(int generation) {
    shard.request(
        G,
        RequestKind.HEARTBEAT,
        request -> new GroupEvent.HeartbeatRequested(request, "a", "", generation),
        answers::add);
  }

  private void stable() {
    join();
    advance(100);
    sync(1);
    store.release();
    runLoop();
    answers.clear();
  }

  private List<GroupError> errors() {
    return answers.stream().map(Answer::error).toList();
  }

  @Test
  void aSyncIsAnsweredWhenItsAssignmentIsStored() {
    join();
    assertThat(answers).isEmpty();
    advance(100);
    assertThat(answers).hasSize(1);
    sync(1);
    runLoop();
    assertThat(answers).hasSize(1);

    store.release();
    runLoop();

    assertThat(errors()).containsExactly(NONE, NONE);
    assertThat(store.states.get(G).generation()).isEqualTo(1);
    assertThat(observed)
        .filteredOn(o -> o instanceof Observation.PhaseChanged)
        .extracting(o -> ((Observation.PhaseChanged) o).to())
        .containsExactly("PreparingRebalance", "CompletingRebalance", "Stable");
    assertThat(observed).filteredOn(o -> o instanceof Observation.Ownership).hasSize(1);
  }

  @Test
  void e21_aSilentMemberIsRemovedAfterItsSessionAndNotBefore() {
    stable();
    advance(9_999);
    heartbeat(1);
    advance(9_999);
    assertThat(store.held).isEmpty();

    advance(1);
    heartbeat(1);

    assertThat(errors()).containsExactly(NONE, UNKNOWN_MEMBER_ID);
    assertThat(store.held).as("the empty group is stored").hasSize(1);
  }

  @Test
  void withoutALeaseNothingIsAnsweredUntilTheStandingIsKnownAgain() {
    stable();
    standing = Standing.LAPSED;
    heartbeat(1);
    assertThat(answers).isEmpty();

    standing = Standing.SERVING;
    shard.standingChanged();

    assertThat(errors()).containsExactly(NONE);
  }

  @Test
  void anAnswerThatIsReadyWhenTheLeaseIsOverWaitsToo() {
    join();
    advance(100);
    sync(1);
    answers.clear();
    standing = Standing.LAPSED;
    store.release();
    runLoop();
    assertThat(answers).isEmpty();

    standing = Standing.RESIGNED;
    shard.standingChanged();

    assertThat(errors()).containsExactly(NOT_COORDINATOR);
  }

  @Test
  void nobodyExpiresWhileTheLeaseIsOverNorBeforeTheHeartbeatsOfThatTimeCouldArrive() {
    stable();
    standing = Standing.LAPSED;
    advance(60_000);
    standing = Standing.SERVING;
    advance(999);
    heartbeat(1);
    advance(9_999);
    heartbeat(1);
    advance(10_000);
    heartbeat(1);

    assertThat(errors()).containsExactly(NONE, NONE, UNKNOWN_MEMBER_ID);
  }

  @Test
  void afterALapseAMemberHasItsWholeSession() {
    stable();
    advance(9_000);
    standing = Standing.LAPSED;
    advance(1);
    standing = Standing.SERVING;
    shard.standingChanged();
    advance(9_999);
    heartbeat(1);
    advance(10_000);
    heartbeat(1);

    assertThat(errors()).containsExactly(NONE, UNKNOWN_MEMBER_ID);
  }

  @Test
  void aSuspendedCoordinatorKeepsMembersCalmAndTurnsCommitsAway() {
    stable();
    standing = Standing.SUSPENDED;

    heartbeat(1);
    commit();

    assertThat(errors()).containsExactly(NONE, COORDINATOR_LOAD_IN_PROGRESS);
  }

  private void commit() {
    shard.request(
        G,
        RequestKind.COMMIT,
        request ->
            new GroupEvent.CommitRequested(
                request,
                "a",
                "",
                1,
                Map.of(new TopicPartition("t", 0), new CommittedOffset(1, -1, "", 0))),
        answers::add);
  }

  @Test
  void aResignedCoordinatorAnswersWhoWaitsAndEverybodyAfter() {
    stable();
    join(B);
    standing = Standing.RESIGNED;
    shard.standingChanged();
    heartbeat(1);

    assertThat(errors()).containsExactly(NOT_COORDINATOR, NOT_COORDINATOR);
  }

  @Test
  void whileLoadingMembersAreKeptCalm() {
    standing = Standing.LOADING;
    heartbeat(1);
    sync(1);
    join();

    assertThat(errors()).containsExactly(NONE, REBALANCE_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS);
  }

  @Test
  void aGroupThatBreaksIsDroppedReadBackAndHarmsNoOther() {
    stable();
    join(B);
    shard.request(
        G,
        RequestKind.HEARTBEAT,
        request -> {
          throw new IllegalStateException("planted");
        },
        answers::add);
    assertThat(errors()).containsExactly(UNKNOWN_SERVER_ERROR, UNKNOWN_SERVER_ERROR);
    runLoop();

    heartbeat(1);

    assertThat(errors()).endsWith(NONE);
  }

  @Test
  void positionsOfAGroupNobodyKnowsAreNoneAndNoGroupIsMade() {
    List<Map<TopicPartition, CommittedOffset>> found = new ArrayList<>();

    shard.fetchOffsets(G, error -> {}, found::add);
    heartbeat(1);

    assertThat(found).containsExactly(Map.of());
    assertThat(errors()).containsExactly(UNKNOWN_MEMBER_ID);
    assertThat(shard.size()).isZero();
  }
}
