package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.SimulatedGroup.rules;

import io.rebalancer.coordinator.client.MemberEffect.CancelTimer;
import io.rebalancer.coordinator.client.MemberEffect.RenewLease;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** An eager member, step by step. */
abstract class MemberSteps {

  static final Duration HEARTBEAT = Duration.ofSeconds(3);
  static final MemberId M1 = new MemberId("m1-uuid");
  static final MemberId M2 = new MemberId("m2-uuid");
  static final Assignment NOTHING = Assignment.empty();
  static final Assignment SHARE = Assignment.of("t", PartitionSet.range(0, 2));
  static final Assignment OTHER = Assignment.of("t", PartitionSet.range(1, 3));

  static final Claim HELD = Claim.of(SHARE, 7);
  static final Claim LOST = HELD.lost();

  final MemberState state = new MemberState(rules(false, false));

  List<MemberEffect> on(MemberEvent event) {
    return state.on(event);
  }

  List<MemberEffect> acts(MemberEvent event) {
    return acts(state, event);
  }

  /** The effects without the arming, renewing and cancelling of the heartbeat and the lease. */
  static List<MemberEffect> acts(MemberState state, MemberEvent event) {
    return state.on(event).stream()
        .filter(effect -> !(effect instanceof CancelTimer))
        .filter(effect -> !(effect instanceof RenewLease))
        .filter(
            effect ->
                !(effect instanceof MemberEffect.ArmTimer armed
                    && armed.timer() == MemberTimer.HEARTBEAT))
        .toList();
  }

  void joining() {
    on(new MemberEvent.Started());
    on(new MemberEvent.Connected());
    on(joined(1, Errors.MEMBER_ID_REQUIRED, -1, M1, null));
  }

  void syncing() {
    joining();
    on(joined(1, Errors.NONE, 7, M1, null));
  }

  /** Owns {@link #SHARE} in generation 7. */
  void stable() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));
    on(new MemberEvent.ListenerReturned(false));
  }

  static MemberEvent joined(
      int attempt,
      Errors error,
      int generation,
      MemberId member,
      Map<MemberId, Subscription> members) {
    GroupPlan plan = members == null ? null : new ThreadStrategy.Plan(new RangeAssignor(), members);
    return new MemberEvent.Joined(attempt, error, generation, member, plan);
  }

  static MemberEvent disconnected() {
    return new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone");
  }

  static MemberEffect retryIn(long millis) {
    return new MemberEffect.ArmTimer(MemberTimer.RETRY, Duration.ofMillis(millis));
  }
}
