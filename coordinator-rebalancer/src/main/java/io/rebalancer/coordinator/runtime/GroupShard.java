package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
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
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one event loop: feeds the state machine and carries out what it asks for. For that
 * loop's thread alone.
 */
final class GroupShard implements EventLoop.Timers {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private record TimerKey(GroupId group, TimerId timer) {}

  private record Waiting(GroupId group, Consumer<Answer> answer) {}

  /** A group in memory; without a state while it is read back from the store. */
  private static final class Cell {
    @Nullable GroupState state;
    final OffsetBook offsets;

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
  private final Map<GroupId, Cell> cells = new HashMap<>();
  private final Map<RequestId, Waiting> waiting = new HashMap<>();
  private final TimerTable<TimerKey> timers = new TimerTable<>();
  private List<Runnable> held = new ArrayList<>();
  private long lastRequest;
  private long graceEnd;

  /** {@code loop} runs a task on the shard's thread, from any thread. */
  GroupShard(
      GroupStateMachine machine,
      GroupStore store,
      Leadership leadership,
      ServerAssignor assignor,
      GroupJournal journal,
      Ticker ticker,
      Consumer<Runnable> loop) {
    this.machine = machine;
    this.store = store;
    this.leadership = leadership;
    this.assignor = assignor;
    this.journal = journal;
    this.ticker = ticker;
    this.loop = loop;
    graceEnd = ticker.nanos();
  }

  @Override
  public long nanosToNext() {
    long now = ticker.nanos();
    return Math.max(timers.nanosToNext(now), graceEnd - now);
  }

  /**
   * Without a lease no timer runs out: heartbeats are not taken either, and after a pause of the
   * whole process they are still on their way when the timers are already due.
   */
  @Override
  public void expire() {
    if (leadership.standing() == Standing.LAPSED) {
      graceEnd = ticker.nanos() + GRACE.toNanos();
    }
    if (graceEnd - ticker.nanos() > 0) {
      return;
    }
    timers.expire(
        ticker.nanos(), key -> handle(key.group(), new GroupEvent.TimerExpired(key.timer())));
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
    Cell cell = cells.computeIfAbsent(group, this::newGroup);
    if (cell.state == null) {
      answer.accept(new Answer.Plain(kind.busy()));
      return;
    }
    RequestId request = new RequestId(++lastRequest);
    waiting.put(request, new Waiting(group, answer));
    GroupEvent asked;
    try {
      asked = event.apply(request);
    } catch (RuntimeException e) {
      dropAndReload(group, e);
      return;
    }
    handle(group, asked);
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

  /** Whether a request may be served now; if not, it is refused or comes {@code again} later. */
  private boolean admitted(RequestKind kind, Consumer<GroupError> refused, Runnable again) {
    switch (leadership.standing()) {
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
      answerAll(each -> true, GroupError.NOT_COORDINATOR);
    }
    List<Runnable> again = held;
    held = new ArrayList<>();
    again.forEach(Runnable::run);
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
      if (step.state().isVacant() && cell.offsets.isBlank()) {
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
    answerAll(each -> each.group().equals(group), GroupError.UNKNOWN_SERVER_ERROR);
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
    cells.put(group, newCell(group, restored, found.offsets()));
    handle(group, new GroupEvent.Restored());
  }

  private void answerAll(Predicate<Waiting> which, GroupError error) {
    for (Map.Entry<RequestId, Waiting> each : new ArrayList<>(waiting.entrySet())) {
      if (which.test(each.getValue())) {
        waiting.remove(each.getKey());
        each.getValue().answer().accept(new Answer.Plain(error));
      }
    }
  }

  private void reply(RequestId request, Answer answer) {
    Waiting asked = waiting.get(request);
    if (asked == null) {
      return; // Answered already, when its group was dropped or given up.
    }
    if (leadership.standing() == Standing.LAPSED) {
      held.add(() -> reply(request, answer));
      return;
    }
    waiting.remove(request);
    asked.answer().accept(answer);
  }

  private Cell newCell(
      GroupId id, @Nullable GroupState state, Map<TopicPartition, CommittedOffset> offsets) {
    return new Cell(
        state,
        new OffsetBook(
            offsets,
            (stored, changed, outcome) ->
                store
                    .saveOffsets(id, stored, changed)
                    .whenComplete(
                        (done, failure) ->
                            loop.accept(() -> outcome.accept(offsetError(id, failure))))));
  }

  private GroupError offsetError(GroupId group, @Nullable Throwable failure) {
    if (failure == null) {
      return GroupError.NONE;
    }
    journal.notStored(group, "offsets", failure);
    return StoreErrors.ofCommit(failure);
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
      store
          .save(group, effect.state())
          .whenComplete((done, failure) -> loop.accept(() -> persisted(effect.write(), failure)));
    }

    private void persisted(long write, @Nullable Throwable failure) {
      if (failure != null) {
        journal.notStored(group, "its state", failure);
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
      cell.offsets.commit(
          effect.offsets(), error -> reply(effect.request(), new Answer.Plain(error)));
    }

    @Override
    public void onReply(GroupEffect.Reply effect) {
      reply(effect.request(), effect.answer());
    }

    @Override
    public void onArmTimer(GroupEffect.ArmTimer effect) {
      timers.arm(
          new TimerKey(group, effect.timer()),
          ticker.nanos() + Duration.ofMillis(effect.delayMs()).toNanos());
    }

    @Override
    public void onCancelTimer(GroupEffect.CancelTimer effect) {
      timers.cancel(new TimerKey(group, effect.timer()));
    }

    @Override
    public void onMoved(GroupEffect.Moved effect) {
      journal.moved(group, effect);
    }

    @Override
    public void onGranted(GroupEffect.Granted effect) {
      journal.granted(group, effect.state());
    }

    @Override
    public void onAssign(GroupEffect.Assign effect) {
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
        journal.notAssigned(group, effect, failure);
      }
      if (cells.get(group) == cell) {
        handle(
            group,
            targets == null
                ? new GroupEvent.AssignFailed(effect.generation())
                : new GroupEvent.Assigned(effect.generation(), targets));
      }
    }

    @Override
    public void onShared(GroupEffect.Shared effect) {
      journal.shared(group, effect);
    }
  }
}
