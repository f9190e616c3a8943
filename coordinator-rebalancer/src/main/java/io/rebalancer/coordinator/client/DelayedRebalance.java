package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.assignor.member.TwoRounds;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One member's part in delayed rebalances: hands on what its assignments say of one, and decides as
 * group leader. Told the time by who uses it; confined to the member's event loop.
 */
final class DelayedRebalance {

  /** Assignments whose Sync failed are soon followed by others: what each member was given. */
  private static final int REMEMBERED = 3;

  private record Led(DelayState state, Map<MemberId, Parked> given) {}

  private final String name;
  private final long maxDelayMs;
  private DelayState taken = DelayState.NONE;
  private long dueNanos;
  private final NavigableMap<Integer, Led> led = new TreeMap<>();

  DelayedRebalance(String name, Duration maxDelay) {
    this.name = name;
    this.maxDelayMs = maxDelay.toMillis();
  }

  /** Null as long as nobody in the group has to do with delays. */
  byte @Nullable [] ofSubscription(long nowNanos) {
    if (maxDelayMs == 0 && taken.isNone()) {
      return null;
    }
    return DelayData.ofSubscription(name, taken.after(remaining(nowNanos).toMillis()));
  }

  /** Rounded up, so that what is not over is not 0. */
  Duration remaining(long nowNanos) {
    long left = taken.delayMs() == 0 ? 0 : Math.max(0, dueNanos - nowNanos);
    return Duration.ofMillis((left + 999_999) / 1_000_000);
  }

  /** Of an assignment of that generation; null when this member did not lead or delays nothing. */
  byte @Nullable [] ofAssignments(int generation) {
    Led known = led.get(generation);
    return known == null || maxDelayMs == 0 ? null : DelayData.ofAssignment(known.state());
  }

  /** How long what was given in that generation delays; 0 when this member did not lead it. */
  int delayMs(int generation) {
    Led known = led.get(generation);
    return known == null ? 0 : (int) Math.min(known.state().delayMs(), Integer.MAX_VALUE);
  }

  /**
   * A Sync was answered.
   *
   * @return how long the group waits now; zero when it does not
   */
  Duration take(int generation, @Nullable ByteBuffer userData, long nowNanos) {
    taken = DelayData.read(userData).state().of(generation);
    dueNanos = nowNanos + Duration.ofMillis(taken.delayMs()).toNanos();
    return Duration.ofMillis(taken.delayMs());
  }

  /** What {@code plan} knows, divided with regard to delays. */
  GroupPlan plan(
      int generation,
      MemberStrategy.Plan plan,
      Collection<JoinedMember> members,
      BiConsumer<JoinedMember, String> complaints) {
    Map<MemberId, String> names = new TreeMap<>();
    DelayState carried = DelayState.NONE;
    for (JoinedMember member : members) {
      DelayData.Said said = said(member, complaints);
      if (!said.name().isEmpty()) {
        names.put(member.id(), said.name());
      }
      carried = younger(carried, said.state());
    }
    MemberAssignor assignor =
        plan.assignor() instanceof TwoRounds rounds ? rounds.assignor() : plan.assignor();
    return new Plan(generation, plan, assignor, names, carried);
  }

  /** Of one generation the shortest delay: messages take their time, and never go back in it. */
  private static DelayState younger(DelayState one, DelayState other) {
    if (one.generation() != other.generation()) {
      return one.generation() > other.generation() ? one : other;
    }
    return one.delayMs() <= other.delayMs() && !one.isNone() ? one : other;
  }

  private static DelayData.Said said(
      JoinedMember member, BiConsumer<JoinedMember, String> complaints) {
    try {
      return DelayData.read(member.subscription().userData());
    } catch (RuntimeException e) {
      complaints.accept(member, "hands on no delay, its user data is unreadable: " + e);
      return DelayData.Said.NOTHING;
    }
  }

  private final class Plan implements GroupPlan {
    private final int generation;
    private final MemberStrategy.Plan plan;
    private final MemberAssignor assignor;
    private final Map<MemberId, String> names;
    private final DelayState carried;

    Plan(
        int generation,
        MemberStrategy.Plan plan,
        MemberAssignor assignor,
        Map<MemberId, String> names,
        DelayState carried) {
      this.generation = generation;
      this.plan = plan;
      this.assignor = assignor;
      this.names = names;
      this.carried = carried;
    }

    @Override
    public SortedSet<String> topics() {
      return plan.topics();
    }

    @Override
    public Map<MemberId, Assignment> shares(KnownTopics topics) {
      GroupInput group = plan.group(topics);
      Led last = led.get(carried.generation());
      DelayDecision.Decision decision =
          DelayDecision.decide(
              new DelayDecision.Input(
                  assignor,
                  group,
                  names,
                  carried,
                  last == null ? Map.of() : last.given(),
                  maxDelayMs));
      remember(group, decision);
      return decision.shares();
    }

    private void remember(GroupInput group, DelayDecision.Decision decision) {
      SortedMap<MemberId, Parked> given = new TreeMap<>();
      for (GroupInput.Member member : group.members()) {
        given.put(
            member.id(),
            new Parked(
                member.instanceId(),
                names.getOrDefault(member.id(), ""),
                decision.shares().getOrDefault(member.id(), Assignment.empty())));
      }
      led.put(generation, new Led(decision.state(), given));
      while (led.size() > REMEMBERED) {
        led.pollFirstEntry();
      }
    }
  }
}
