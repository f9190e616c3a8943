package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A step being made: the state opened for change, and the effects so far. Lives within one
 * transition and never leaves it.
 */
final class Draft {

  final GroupId id;
  final Map<MemberId, Member> members;
  final Set<MemberId> pending;
  final Map<MemberId, RequestId> joins;
  final Map<MemberId, RequestId> syncs;
  final Set<MemberId> unsynced;
  final Set<MemberId> newcomers;
  final Map<MemberId, Replacement> replacements;
  final Map<MemberId, Share> shares;
  final SortedMap<String, Assignment> lost;
  final List<Serving.Parked> parked;
  final Map<MemberId, Optional<Assignment>> revoking;
  final Map<MemberId, Kept> unconfirmed;

  /** What members that went in this step were to have, by the name they may come back under. */
  final SortedMap<String, Assignment> gone = new TreeMap<>();

  int generation;
  String protocolType;
  String protocol;
  String leader;
  boolean initial;
  boolean latecomers;
  int delayMs;
  int remainingMs;
  boolean stale;
  int assigning;
  @Nullable Reason again;
  long writing;
  boolean dirty;
  boolean unstorable;
  @Nullable Reason due;
  private boolean delayed;

  private final List<GroupEffect> effects = new ArrayList<>();
  private GroupPhase phase;
  private long write;
  private long lastWrite;
  private HardState awaited;
  private int announced;
  private boolean restored;
  private Stored stored;

  Draft(GroupState state) {
    id = state.id();
    phase = state.phase();
    HardState hard = state.hard();
    members = new LinkedHashMap<>(hard.members());
    generation = hard.generation();
    protocolType = hard.protocolType();
    protocol = hard.protocol();
    leader = hard.leader();
    announced = hard.announced();
    Waiting waiting = state.waiting();
    pending = new LinkedHashSet<>(waiting.pending());
    joins = new LinkedHashMap<>(waiting.joins());
    syncs = new LinkedHashMap<>(waiting.syncs());
    unsynced = new LinkedHashSet<>(waiting.unsynced());
    newcomers = new LinkedHashSet<>(waiting.newcomers());
    replacements = new LinkedHashMap<>(waiting.replacements());
    shares = new LinkedHashMap<>(state.shares().of());
    lost = new TreeMap<>(state.shares().lost());
    Serving serving = state.serving();
    parked = new ArrayList<>(serving.parked());
    revoking = new LinkedHashMap<>(serving.revoking());
    unconfirmed = new HashMap<>(serving.unconfirmed());
    assigning = serving.assigning();
    again = serving.again();
    writing = serving.writing();
    dirty = serving.dirty();
    Round round = state.round();
    initial = round.initial();
    latecomers = round.latecomers();
    delayMs = round.delayMs();
    remainingMs = round.remainingMs();
    write = round.write();
    lastWrite = round.lastWrite();
    awaited = round.awaited();
    stale = round.stale();
    restored = round.restored();
    stored = round.stored();
    unstorable = round.unstorable();
    due = round.due();
    delayed = round.delayed();
  }

  GroupPhase phase() {
    return phase;
  }

  HardState hard() {
    return new HardState(
        generation,
        protocolType,
        protocol,
        leader,
        members,
        shares.isEmpty() ? null : new Shares(shares, lost),
        Math.max(generation, announced));
  }

  void moveTo(GroupPhase next, Reason reason) {
    if (!phase.mayBecome(next)) {
      throw new IllegalStateException(
          id + ": expected a legal move from " + phase + ", found one to " + next);
    }
    effects.add(new GroupEffect.Moved(generation, phase, next, reason));
    phase = next;
  }

  /** Whoever coordinated before may have announced one generation more than the store says. */
  private int upcoming() {
    return restored ? announced + 2 : generation + 1;
  }

  void nextGeneration() {
    generation = upcoming();
    restored = false;
  }

  /**
   * Whether the next generation may be announced: of those that were, at most the last may be
   * missing in the store, since whoever takes over skips one.
   */
  boolean isNextReserved() {
    return stored.last().announced() >= upcoming() - 1;
  }

  /** Stores that the generation before the next is used up, unless that is under way. */
  void reserveNext() {
    if (stored.expected().announced() < upcoming() - 1) {
      persist(stored.expected().withAnnounced(upcoming() - 1));
    }
  }

  /** {@code write} succeeded, or failed and left the store as it was. */
  void ended(long write, boolean succeeded) {
    stored = stored.ended(write, succeeded);
  }

  /** Stores {@code state}; {@link #isAwaiting} recognises the outcome. */
  void persistAndAwait(HardState state) {
    write = persist(state);
    awaited = state;
  }

  /** Stores {@code state}, and gives the token of the outcome. */
  long persist(HardState state) {
    lastWrite++;
    stored = stored.asked(lastWrite, state);
    effects.add(new GroupEffect.Persist(lastWrite, state));
    return lastWrite;
  }

  boolean isStoring() {
    return write != 0;
  }

  boolean isAwaiting(long token) {
    return write == token;
  }

  /** Whether that is what is being stored. */
  boolean isAwaiting(HardState state) {
    return awaited.members().equals(state.members());
  }

  /** What was being stored; from here on its outcome no longer matters. */
  HardState endAwait() {
    write = 0;
    HardState stored = awaited;
    awaited = HardState.empty();
    return stored;
  }

  /** Whether a request of {@code member} is parked: then its client is taken to be alive. */
  boolean waits(MemberId member) {
    return joins.containsKey(member)
        || syncs.containsKey(member)
        || replacements.containsKey(member)
        || parked.stream().anyMatch(each -> each.member().equals(member));
  }

  void reply(@Nullable RequestId request, Answer answer) {
    if (request != null) {
      effects.add(new GroupEffect.Reply(request, answer));
    }
  }

  void arm(TimerId.Kind kind, MemberId member, int delayMs) {
    effects.add(new GroupEffect.ArmTimer(new TimerId(kind, member.value()), delayMs));
  }

  void arm(TimerId.Kind kind, int delayMs) {
    effects.add(new GroupEffect.ArmTimer(TimerId.ofGroup(kind), delayMs));
  }

  void cancel(TimerId.Kind kind, MemberId member) {
    effects.add(new GroupEffect.CancelTimer(new TimerId(kind, member.value())));
  }

  void cancel(TimerId.Kind kind) {
    effects.add(new GroupEffect.CancelTimer(TimerId.ofGroup(kind)));
  }

  /** What the group leader says of a delay, replacing what was said before; 0 for none. */
  void delay(int remainingMs) {
    if (remainingMs > 0) {
      arm(TimerId.Kind.LED_DELAY, remainingMs);
    } else if (delayed) {
      cancel(TimerId.Kind.LED_DELAY);
    }
    delayed = remainingMs > 0;
  }

  void add(GroupEffect effect) {
    effects.add(effect);
  }

  /** Kafka arms the join and sync timers with the longest rebalance timeout of any member. */
  int rebalanceTimeoutMs() {
    return members.values().stream().mapToInt(Member::rebalanceTimeoutMs).max().orElse(0);
  }

  Step done() {
    return new Step(
        new GroupState(
            id,
            phase,
            hard(),
            new Waiting(pending, joins, syncs, unsynced, newcomers, replacements),
            new Round(
                initial,
                latecomers,
                delayMs,
                remainingMs,
                write,
                lastWrite,
                awaited,
                stale,
                restored,
                stored,
                unstorable,
                due,
                delayed),
            new Serving(assigning, again, writing, dirty, parked, revoking, unconfirmed)),
        effects);
  }
}
