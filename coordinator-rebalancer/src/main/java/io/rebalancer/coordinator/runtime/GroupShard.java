package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.OffsetExpiry;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.group.Step;
import io.rebalancer.coordinator.group.TimerId;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one event loop: feeds the state machine and carries out what it asks for. For that
 * loop's thread alone.
 */
final class GroupShard implements EventLoop.Timers {

  static final TimerId ASSIGNMENT = TimerId.ofGroup(TimerId.Kind.ASSIGNMENT);

  private final GroupStateMachine machine;
  final GroupStore store;
  private final LeaseGate lease;
  final ServerAssignor assignor;
  final GroupJournal journal;
  private final Ticker ticker;
  final Consumer<Runnable> loop;
  final Retention retention;
  private final Map<GroupId, GroupCell> cells = new HashMap<>();
  private final OpenRequests requests = new OpenRequests();
  final GroupTimers timers;
  private long nextCheck;

  /** {@code loop} runs a task on the shard's thread, from any thread. */
  GroupShard(
      GroupStateMachine machine,
      GroupStore store,
      Leadership leadership,
      ServerAssignor assignor,
      GroupJournal journal,
      Ticker ticker,
      Consumer<Runnable> loop,
      Retention retention) {
    this.machine = machine;
    this.store = store;
    lease = new LeaseGate(leadership, ticker);
    timers = new GroupTimers(ticker);
    this.assignor = assignor;
    this.journal = journal;
    this.ticker = ticker;
    this.loop = loop;
    this.retention = retention;
    nextCheck = ticker.nanos() + retention.checkInterval().toNanos();
  }

  @Override
  public long nanosToNext() {
    long toCheck = nextCheck - ticker.nanos();
    return Math.max(Math.min(timers.nanosToNext(), toCheck), lease.nanosOfGrace());
  }

  @Override
  public void expire() {
    if (!lease.isTimeUp()) {
      return;
    }
    timers.expire((group, timer) -> handle(group, new GroupEvent.TimerExpired(timer)));
    if (nextCheck - ticker.nanos() <= 0) {
      nextCheck = ticker.nanos() + retention.checkInterval().toNanos();
      expireOffsets();
    }
  }

  /** Removes positions that were kept long enough, then Empty groups that have none. */
  private void expireOffsets() {
    if (lease.standing() != Standing.SERVING) {
      return; // Nothing could be removed; the next check will do.
    }
    for (GroupId group : new ArrayList<>(cells.keySet())) {
      GroupCell cell = cells.get(group);
      if (cell != null) {
        cell.offsets.remove(stored -> expired(group, cell, stored), error -> unused(group, cell));
      }
    }
  }

  private Set<TopicPartition> expired(
      GroupId group, GroupCell cell, NavigableMap<TopicPartition, CommittedOffset> stored) {
    GroupState state = cell.state;
    if (state == null) {
      return Set.of();
    }
    long nowMs = retention.clock().millis();
    Set<TopicPartition> expired =
        OffsetExpiry.expired(state, cell.emptySinceMs, stored, nowMs, retention.periodMs());
    expired.forEach(partition -> journal.expired(group, partition, stored, nowMs));
    return expired;
  }

  private void unused(GroupId group, GroupCell cell) {
    if (has(group, cell) && cell.offsets.isBlank()) {
      handle(group, new GroupEvent.OffsetsExpired());
    }
  }

  void request(
      GroupId group,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    if (!lease.admits(
        kind,
        error -> answer.accept(new Answer.Plain(error)),
        () -> request(group, kind, event, answer))) {
      return;
    }
    if (kind.needsGroup() && !cells.containsKey(group)) {
      answer.accept(new Answer.Plain(GroupError.GROUP_ID_NOT_FOUND));
      return;
    }
    GroupCell cell = cells.computeIfAbsent(group, this::newGroup);
    if (cell.state == null) {
      answer.accept(new Answer.Plain(kind.busy()));
      return;
    }
    boolean known = kind == RequestKind.COMMIT && cell.stored;
    RequestId request = requests.add(group, known ? ofKnownGroup(answer) : answer);
    GroupEvent asked;
    try {
      asked = event.apply(request);
    } catch (RuntimeException e) {
      dropAndReload(group, e);
      return;
    }
    handle(group, asked);
  }

  /** A group of positions alone is one, though the state machine does not see them. */
  private static Consumer<Answer> ofKnownGroup(Consumer<Answer> answer) {
    return given ->
        answer.accept(
            given.error() == GroupError.GROUP_ID_NOT_FOUND
                ? new Answer.Plain(GroupError.UNKNOWN_MEMBER_ID)
                : given);
  }

  int size() {
    return cells.size();
  }

  /** Reads stored positions: none for a group that nobody knows. */
  void fetchOffsets(
      GroupId group,
      Consumer<GroupError> refused,
      Consumer<Map<TopicPartition, CommittedOffset>> answer) {
    if (!lease.admits(RequestKind.FETCH, refused, () -> fetchOffsets(group, refused, answer))) {
      return;
    }
    GroupCell cell = cells.get(group);
    if (cell == null) {
      answer.accept(Map.of());
    } else if (cell.state == null) {
      refused.accept(RequestKind.FETCH.busy());
    } else {
      answer.accept(cell.offsets.stored());
    }
  }

  /** Hands out the group's state; nothing for a group that nobody knows. */
  void describe(GroupId group, Consumer<GroupError> refused, Consumer<Optional<Described>> answer) {
    if (!lease.admits(RequestKind.DESCRIBE, refused, () -> describe(group, refused, answer))) {
      return;
    }
    GroupCell cell = cells.get(group);
    if (cell == null) {
      answer.accept(Optional.empty());
    } else if (cell.state == null) {
      refused.accept(RequestKind.DESCRIBE.busy());
    } else {
      answer.accept(Optional.of(new Described(cell.state, describedDelayMs(group))));
    }
  }

  /** Hands out all groups but those that are being read or removed. */
  void list(Consumer<GroupError> refused, Consumer<List<GroupState>> answer) {
    if (!lease.admits(RequestKind.LIST, refused, () -> list(refused, answer))) {
      return;
    }
    List<GroupState> groups = new ArrayList<>();
    for (GroupCell cell : cells.values()) {
      if (cell.state != null) {
        groups.add(cell.state);
      }
    }
    answer.accept(groups);
  }

  /** Topics that changed while no coordinator watched are found by what was given out before. */
  void restore(Map<GroupId, StoredGroup> groups, TopicCatalog catalog) {
    groups.forEach(
        (id, stored) -> {
          reload(id, stored);
          Set<String> changed = changedSince(stored.state(), catalog);
          if (!changed.isEmpty()) {
            handle(id, new GroupEvent.TopicsChanged(changed));
          }
        });
  }

  private Set<String> changedSince(HardState state, TopicCatalog catalog) {
    Set<String> changed = new HashSet<>();
    journal
        .given(state)
        .ifPresent(
            given ->
                state
                    .members()
                    .values()
                    .forEach(
                        member ->
                            member.topics().stream()
                                .filter(
                                    topic ->
                                        !catalog.partitions(topic).equals(given.partitions(topic)))
                                .forEach(changed::add)));
    return changed;
  }

  void topicsChanged(Set<String> topics) {
    for (GroupId group : new ArrayList<>(cells.keySet())) {
      handle(group, new GroupEvent.TopicsChanged(topics));
    }
  }

  /** The standing is another than before: what was held is tried again, or everything is over. */
  void standingChanged() {
    if (lease.standing() == Standing.RESIGNED) {
      for (GroupId group : new ArrayList<>(cells.keySet())) {
        handle(group, new GroupEvent.Resigned(GroupError.NOT_COORDINATOR));
      }
      List.copyOf(cells.keySet()).forEach(this::forget);
      cells.clear();
      timers.cancelAll();
      requests.answerAll(each -> true, GroupError.NOT_COORDINATOR);
    }
    if (lease.isLapseOver()) {
      cells.forEach(this::beginSessions);
    }
    lease.release();
  }

  /** As after a takeover: while nothing was answered members could not show that they live. */
  private void beginSessions(GroupId group, GroupCell cell) {
    if (cell.state == null) {
      return;
    }
    for (Member member : cell.state.hard().members().values()) {
      TimerId session = new TimerId(TimerId.Kind.SESSION, member.id().value());
      if (timers.runs(group, session)) {
        timers.arm(group, session, Duration.ofMillis(member.sessionTimeoutMs()));
      }
    }
  }

  /** For events that do not come from outside: they never make a group. */
  void handle(GroupId group, GroupEvent event) {
    GroupCell cell = cells.get(group);
    if (cell == null || cell.state == null) {
      return;
    }
    try {
      GroupState before = cell.state;
      Step step = machine.step(before, event);
      cell.state = step.state();
      journal.stepped(group, before, step.state());
      EffectRunner runner = new EffectRunner(this, group, cell);
      step.effects().forEach(effect -> effect.accept(runner));
      if (step.state().isVacant() && cell.offsets.isBlank() && !cell.stored) {
        forget(group);
      }
    } catch (RuntimeException e) {
      dropAndReload(group, e);
    }
  }

  /** Whether {@code cell} is still the group's: it may have been read anew, or given up. */
  boolean has(GroupId group, GroupCell cell) {
    return cells.get(group) == cell;
  }

  void remove(GroupId group) {
    cells.remove(group);
  }

  private GroupCell newGroup(GroupId group) {
    GroupState fresh = GroupState.fresh(group);
    journal.stepped(group, null, fresh);
    return newCell(group, fresh, Map.of());
  }

  private void forget(GroupId group) {
    GroupCell gone = cells.remove(group);
    timers.cancel(group, ASSIGNMENT);
    if (gone != null && gone.state != null) {
      journal.stepped(group, gone.state, null);
    }
  }

  private void dropAndReload(GroupId group, RuntimeException failure) {
    forget(group);
    journal.broken(group, failure);
    timers.cancelAll(group);
    GroupCell loading = newCell(group, null, Map.of());
    cells.put(group, loading);
    requests.answerAll(group::equals, GroupError.UNKNOWN_SERVER_ERROR);
    readBack(group, loading);
  }

  void readBack(GroupId group, GroupCell loading) {
    store
        .load(group)
        .whenComplete(
            (stored, unread) ->
                loop.accept(
                    () -> {
                      if (cells.remove(group, loading) && stored != null) {
                        stored.ifPresent(found -> reload(group, found));
                      } else if (unread != null) {
                        journal.notStored(group, "the group cannot be read: it", unread);
                      }
                    }));
  }

  private void reload(GroupId group, StoredGroup found) {
    forget(group);
    GroupState restored = GroupState.restored(group, found.state());
    journal.stepped(group, null, restored);
    GroupCell cell = newCell(group, restored, found.offsets());
    cell.emptySinceMs = found.sinceMs();
    cell.stored = true;
    cells.put(group, cell);
    handle(group, new GroupEvent.Restored());
  }

  /** Without a lease nothing is answered: it waits for one. */
  void reply(GroupId group, RequestId request, Answer answer) {
    if (!requests.isOpen(request)) {
      return;
    }
    if (lease.holds(() -> reply(group, request, answer))) {
      return;
    }
    int delayMs = timers.millisLeft(group, TimerId.Kind.DELAY);
    requests.answer(request, delayMs == 0 ? answer : answer.withDelayMs(delayMs));
  }

  /**
   * How long the partitions of the group's vanished members still wait for them, as far as known.
   */
  private int describedDelayMs(GroupId group) {
    return Math.max(
        timers.millisLeft(group, TimerId.Kind.DELAY),
        timers.millisLeft(group, TimerId.Kind.LED_DELAY));
  }

  private GroupCell newCell(
      GroupId id, @Nullable GroupState state, Map<TopicPartition, CommittedOffset> offsets) {
    return new GroupCell(
        state,
        new OffsetBook(
            offsets, new StoreOffsets(id, store, journal, loop), retention.stampLagMs()));
  }
}
