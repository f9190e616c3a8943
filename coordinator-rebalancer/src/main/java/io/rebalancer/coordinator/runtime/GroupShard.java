package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.OffsetExpiry;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.group.Step;
import io.rebalancer.coordinator.group.TimerId;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
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
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one event loop: feeds the state machine and carries out what it asks for. For that
 * loop's thread alone.
 */
final class GroupShard implements EventLoop.Timers {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final TimerId ASSIGNMENT = TimerId.ofGroup(TimerId.Kind.ASSIGNMENT);

  private record TimerKey(GroupId group, TimerId timer) {}

  /** A group in memory; without a state while it is read back from the store. */
  private static final class Cell {
    @Nullable GroupState state;
    final OffsetBook offsets;
    OptionalLong emptySinceMs = OptionalLong.empty();

    /** Whether the store may have the group, so that forgetting it here would not end it. */
    boolean stored;

    /** Whether the last state was too large for the store; said once. */
    boolean tooLarge;

    /** How many assignments have failed since the last that did not. */
    int failedAssignments;

    Cell(@Nullable GroupState state, OffsetBook offsets) {
      this.state = state;
      this.offsets = offsets;
    }
  }

  private final GroupStateMachine machine;
  private final GroupStore store;
  private final Leadership leadership;
  private final ServerAssignor assignor;
  private final GroupJournal journal;
  private final Ticker ticker;
  private final Consumer<Runnable> loop;
  private final Retention retention;
  private final Map<GroupId, Cell> cells = new HashMap<>();
  private final OpenRequests requests = new OpenRequests();
  private final TimerTable<TimerKey> timers = new TimerTable<>();
  private List<Runnable> held = new ArrayList<>();
  private boolean lapsed;
  private long graceEnd;
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
    this.leadership = leadership;
    this.assignor = assignor;
    this.journal = journal;
    this.ticker = ticker;
    this.loop = loop;
    this.retention = retention;
    graceEnd = ticker.nanos();
    nextCheck = graceEnd + retention.checkInterval().toNanos();
  }

  @Override
  public long nanosToNext() {
    long now = ticker.nanos();
    return Math.max(Math.min(timers.nanosToNext(now), nextCheck - now), graceEnd - now);
  }

  /**
   * Without a lease no timer runs out: heartbeats are not taken either, and after a pause of the
   * whole process they are still on their way when the timers are already due.
   */
  @Override
  public void expire() {
    if (standing() == Standing.LAPSED) {
      graceEnd = ticker.nanos() + GRACE.toNanos();
    }
    if (graceEnd - ticker.nanos() > 0) {
      return;
    }
    timers.expire(
        ticker.nanos(), key -> handle(key.group(), new GroupEvent.TimerExpired(key.timer())));
    if (nextCheck - ticker.nanos() <= 0) {
      nextCheck = ticker.nanos() + retention.checkInterval().toNanos();
      expireOffsets();
    }
  }

  /** Removes positions that were kept long enough, then Empty groups that have none. */
  private void expireOffsets() {
    if (leadership.standing() != Standing.SERVING) {
      return; // Nothing could be removed; the next check will do.
    }
    for (GroupId group : new ArrayList<>(cells.keySet())) {
      Cell cell = cells.get(group);
      if (cell != null) {
        cell.offsets.remove(stored -> expired(group, cell, stored), error -> unused(group, cell));
      }
    }
  }

  private Set<TopicPartition> expired(
      GroupId group, Cell cell, NavigableMap<TopicPartition, CommittedOffset> stored) {
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

  private void unused(GroupId group, Cell cell) {
    if (cells.get(group) == cell && cell.offsets.isBlank()) {
      handle(group, new GroupEvent.OffsetsExpired());
    }
  }

  void request(
      GroupId group,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    if (!admitted(
        kind,
        error -> answer.accept(new Answer.Plain(error)),
        () -> request(group, kind, event, answer))) {
      return;
    }
    if (kind.needsGroup() && !cells.containsKey(group)) {
      answer.accept(new Answer.Plain(GroupError.GROUP_ID_NOT_FOUND));
      return;
    }
    Cell cell = cells.computeIfAbsent(group, this::newGroup);
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
    if (!admitted(RequestKind.FETCH, refused, () -> fetchOffsets(group, refused, answer))) {
      return;
    }
    Cell cell = cells.get(group);
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
    if (!admitted(RequestKind.DESCRIBE, refused, () -> describe(group, refused, answer))) {
      return;
    }
    Cell cell = cells.get(group);
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
    if (!admitted(RequestKind.LIST, refused, () -> list(refused, answer))) {
      return;
    }
    List<GroupState> groups = new ArrayList<>();
    for (Cell cell : cells.values()) {
      if (cell.state != null) {
        groups.add(cell.state);
      }
    }
    answer.accept(groups);
  }

  private Standing standing() {
    Standing standing = leadership.standing();
    lapsed |= standing == Standing.LAPSED;
    return standing;
  }

  /** Whether a request may be served now; if not, it is refused or comes {@code again} later. */
  private boolean admitted(RequestKind kind, Consumer<GroupError> refused, Runnable again) {
    switch (standing()) {
      case SERVING -> {
        return true;
      }
      case SUSPENDED -> {
        if (!kind.needsStore()) {
          return true;
        }
        refused.accept(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
      }
      case LAPSED -> held.add(again);
      case LOADING -> refused.accept(kind.busy());
      case RESIGNED -> refused.accept(GroupError.NOT_COORDINATOR);
    }
    return false;
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
    if (leadership.standing() == Standing.RESIGNED) {
      for (GroupId group : new ArrayList<>(cells.keySet())) {
        handle(group, new GroupEvent.Resigned(GroupError.NOT_COORDINATOR));
      }
      List.copyOf(cells.keySet()).forEach(this::forget);
      cells.clear();
      timers.cancelIf(key -> true);
      requests.answerAll(each -> true, GroupError.NOT_COORDINATOR);
    }
    if (lapsed && standing() != Standing.LAPSED) {
      lapsed = false;
      cells.forEach(this::beginSessions);
    }
    List<Runnable> again = held;
    held = new ArrayList<>();
    again.forEach(Runnable::run);
  }

  /** As after a takeover: while nothing was answered members could not show that they live. */
  private void beginSessions(GroupId group, Cell cell) {
    if (cell.state == null) {
      return;
    }
    for (Member member : cell.state.hard().members().values()) {
      TimerId session = new TimerId(TimerId.Kind.SESSION, member.id().value());
      if (timers.runs(new TimerKey(group, session))) {
        arm(group, session, member.sessionTimeoutMs());
      }
    }
  }

  private void arm(GroupId group, TimerId timer, int delayMs) {
    timers.arm(new TimerKey(group, timer), ticker.nanos() + Duration.ofMillis(delayMs).toNanos());
  }

  /** For events that do not come from outside: they never make a group. */
  private void handle(GroupId group, GroupEvent event) {
    Cell cell = cells.get(group);
    if (cell == null || cell.state == null) {
      return;
    }
    try {
      GroupState before = cell.state;
      Step step = machine.step(before, event);
      cell.state = step.state();
      journal.stepped(group, before, step.state());
      Runner runner = new Runner(group, cell);
      step.effects().forEach(effect -> effect.accept(runner));
      if (step.state().isVacant() && cell.offsets.isBlank() && !cell.stored) {
        forget(group);
      }
    } catch (RuntimeException e) {
      dropAndReload(group, e);
    }
  }

  private Cell newGroup(GroupId group) {
    GroupState fresh = GroupState.fresh(group);
    journal.stepped(group, null, fresh);
    return newCell(group, fresh, Map.of());
  }

  private void forget(GroupId group) {
    Cell gone = cells.remove(group);
    timers.cancel(new TimerKey(group, ASSIGNMENT));
    if (gone != null && gone.state != null) {
      journal.stepped(group, gone.state, null);
    }
  }

  private void dropAndReload(GroupId group, RuntimeException failure) {
    forget(group);
    journal.broken(group, failure);
    timers.cancelIf(key -> key.group().equals(group));
    Cell loading = newCell(group, null, Map.of());
    cells.put(group, loading);
    requests.answerAll(group::equals, GroupError.UNKNOWN_SERVER_ERROR);
    readBack(group, loading);
  }

  private void readBack(GroupId group, Cell loading) {
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
    Cell cell = newCell(group, restored, found.offsets());
    cell.emptySinceMs = found.sinceMs();
    cell.stored = true;
    cells.put(group, cell);
    handle(group, new GroupEvent.Restored());
  }

  /** Without a lease nothing is answered: it waits for one. */
  private void reply(GroupId group, RequestId request, Answer answer) {
    if (!requests.isOpen(request)) {
      return;
    }
    if (standing() == Standing.LAPSED) {
      held.add(() -> reply(group, request, answer));
      return;
    }
    int delayMs = delayMs(group, TimerId.Kind.DELAY);
    requests.answer(request, delayMs == 0 ? answer : answer.withDelayMs(delayMs));
  }

  /**
   * How long the partitions of the group's vanished members still wait for them, as far as known.
   */
  private int describedDelayMs(GroupId group) {
    return Math.max(delayMs(group, TimerId.Kind.DELAY), delayMs(group, TimerId.Kind.LED_DELAY));
  }

  private int delayMs(GroupId group, TimerId.Kind kind) {
    TimerKey delay = new TimerKey(group, TimerId.ofGroup(kind));
    return (int) Duration.ofNanos(timers.nanosLeft(delay, ticker.nanos())).toMillis();
  }

  private Cell newCell(
      GroupId id, @Nullable GroupState state, Map<TopicPartition, CommittedOffset> offsets) {
    return new Cell(
        state,
        new OffsetBook(
            offsets, new StoreOffsets(id, store, journal, loop), retention.stampLagMs()));
  }

  /** Carries out the effects of one group. */
  private final class Runner implements GroupEffect.Visitor {

    private final GroupId group;
    private final Cell cell;

    Runner(GroupId group, Cell cell) {
      this.group = group;
      this.cell = cell;
    }

    @Override
    public void onPersist(GroupEffect.Persist effect) {
      cell.stored = true;
      store
          .save(group, effect.state())
          .whenComplete((done, failure) -> loop.accept(() -> persisted(effect.write(), failure)));
    }

    private void persisted(long write, @Nullable Throwable failure) {
      boolean saidBefore = cell.tooLarge;
      cell.tooLarge = failure != null && StoreErrors.isTooLarge(failure);
      if (failure != null && !cell.tooLarge) {
        journal.notStored(group, "its state", failure);
      } else if (failure != null && !saidBefore) {
        journal.tooLarge(group, failure);
      }
      if (cells.get(group) == cell) {
        handle(
            group,
            failure == null
                ? new GroupEvent.Persisted(write)
                : new GroupEvent.PersistFailed(write, StoreErrors.ofSync(failure)));
      }
    }

    @Override
    public void onStoreOffsets(GroupEffect.StoreOffsets effect) {
      cell.stored |= !effect.offsets().isEmpty();
      cell.offsets.commit(
          effect.offsets(), error -> reply(group, effect.request(), new Answer.Plain(error)));
    }

    @Override
    public void onDeleteOffsets(GroupEffect.DeleteOffsets effect) {
      cell.offsets.remove(
          stored -> effect.partitions(),
          error ->
              reply(
                  group,
                  effect.request(),
                  error == GroupError.NONE ? effect.answer() : new Answer.Plain(error)));
    }

    /** Until the store has forgotten it too, the group is as one that is being read. */
    @Override
    public void onForget(GroupEffect.Forget effect) {
      journal.stepped(group, cell.state, null);
      cell.state = null;
      cell.offsets.end(error -> forgotten(effect.request(), error));
    }

    private void forgotten(@Nullable RequestId request, GroupError error) {
      if (request != null) {
        reply(group, request, new Answer.Plain(error));
      }
      if (cells.get(group) != cell) {
        return;
      }
      if (error == GroupError.NONE) {
        cells.remove(group);
      } else {
        readBack(group, cell);
      }
    }

    @Override
    public void onReply(GroupEffect.Reply effect) {
      reply(group, effect.request(), effect.answer());
    }

    @Override
    public void onArmTimer(GroupEffect.ArmTimer effect) {
      arm(group, effect.timer(), effect.delayMs());
    }

    @Override
    public void onCancelTimer(GroupEffect.CancelTimer effect) {
      timers.cancel(new TimerKey(group, effect.timer()));
    }

    @Override
    public void onMoved(GroupEffect.Moved effect) {
      if (effect.to() == GroupPhase.EMPTY) {
        cell.emptySinceMs = OptionalLong.of(retention.clock().millis());
      }
      journal.moved(group, effect);
    }

    @Override
    public void onGranted(GroupEffect.Granted effect) {
      journal.granted(group, effect.state());
    }

    @Override
    public void onAssign(GroupEffect.Assign effect) {
      timers.cancel(new TimerKey(group, ASSIGNMENT));
      assignor
          .assign(effect)
          .whenComplete(
              (targets, failure) -> loop.accept(() -> assigned(effect, targets, failure)));
    }

    private void assigned(
        GroupEffect.Assign effect,
        @Nullable Map<MemberId, Assignment> targets,
        @Nullable Throwable failure) {
      if (targets == null) {
        tryLater(effect, failure);
      } else if (cell.failedAssignments > 0) {
        journal.assignedAgain(group, effect, cell.failedAssignments);
        cell.failedAssignments = 0;
      }
      if (cells.get(group) == cell) {
        handle(
            group,
            targets == null
                ? new GroupEvent.AssignFailed(effect.generation())
                : new GroupEvent.Assigned(effect.generation(), targets));
      }
    }

    /** Before the group hears of it: what it does then may be to ask for the next assignment. */
    private void tryLater(GroupEffect.Assign effect, @Nullable Throwable failure) {
      cell.failedAssignments++;
      Duration wait = AssignmentRetry.after(cell.failedAssignments);
      journal.notAssigned(group, effect, failure, cell.failedAssignments, wait);
      if (cells.get(group) == cell) {
        timers.arm(new TimerKey(group, ASSIGNMENT), ticker.nanos() + wait.toNanos());
      }
    }

    @Override
    public void onShared(GroupEffect.Shared effect) {
      journal.shared(group, effect);
    }
  }
}
