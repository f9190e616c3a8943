package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a server-assigned group has under way; lost with the coordinator.
 *
 * @param assigning the generation that an assignment is being computed for, 0 when none is
 * @param again why another is to be computed after it, null when none is
 * @param writing token of the write that is under way, 0 when none is
 * @param dirty whether there is something that this write does not have
 * @param parked answers that wait for a write
 * @param revoking members whose time to let go of partitions is running, and of which ones each was
 *     told meanwhile, if any
 * @param unconfirmed what members have kept by a Join that named no generation: any Join of theirs
 *     that was under way for long looks the same, so it counts once its sender shows that it got
 *     the answer, which is in the generation given here; {@link Kept#UNTOLD} before it is answered
 */
public record Serving(
    int assigning,
    @Nullable Reason again,
    long writing,
    boolean dirty,
    List<Parked> parked,
    Map<MemberId, Optional<Assignment>> revoking,
    Map<MemberId, Kept> unconfirmed) {

  static final Serving NOTHING = new Serving(0, null, 0, false, List.of(), Map.of(), Map.of());

  /** An answer to {@code member}, told when the write of this token, or a later one, is stored. */
  public record Parked(long write, RequestId request, MemberId member, Answer.Joined answer) {}

  public Serving {
    parked = List.copyOf(parked);
    revoking = Collections.unmodifiableMap(new LinkedHashMap<>(revoking));
    unconfirmed = Map.copyOf(unconfirmed);
  }
}
