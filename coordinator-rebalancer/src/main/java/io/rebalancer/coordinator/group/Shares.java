package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The map of members and partitions of a server-assigned group, as it is persisted.
 *
 * @param of every member its share
 * @param lost what vanished members were to have, by their instance id or else client id, while it
 *     waits for them to come back
 */
public record Shares(Map<MemberId, Share> of, SortedMap<String, Assignment> lost) {

  static final Shares NONE = new Shares(Map.of(), new TreeMap<>());

  public Shares {
    of = Collections.unmodifiableMap(new LinkedHashMap<>(of));
    lost = Collections.unmodifiableSortedMap(new TreeMap<>(lost));
  }

  /** What somebody is to have, or to have again when it comes back. */
  public Assignment spokenFor() {
    Assignment sum = Assignment.empty();
    for (Share share : of.values()) {
      sum = sum.plus(share.target());
    }
    for (Assignment each : lost.values()) {
      sum = sum.plus(each);
    }
    return sum;
  }

  Share share(MemberId member) {
    return of.getOrDefault(member, Share.NOTHING);
  }

  /** What of {@code wanted} nobody but {@code member} may be processing. */
  static Assignment free(Map<MemberId, Share> of, MemberId member, Assignment wanted) {
    Assignment free = wanted;
    for (Map.Entry<MemberId, Share> each : of.entrySet()) {
      if (free.isEmpty()) {
        break;
      }
      if (!each.getKey().equals(member) && !each.getValue().held().isEmpty()) {
        free = free.minus(each.getValue().held());
      }
    }
    return free;
  }

  /** Whether {@code member} has something to learn: to let go of partitions, or to take some. */
  boolean hasNewsFor(MemberId member) {
    Share share = share(member);
    if (share.isSettled()) {
      return false;
    }
    return share.mustLetGo() || !free(of, member, share.target().minus(share.granted())).isEmpty();
  }

  /** {@link GroupPhase#ASSIGNING} while partitions wait for whoever lost them. */
  GroupPhase phase() {
    if (of.isEmpty()) {
      return GroupPhase.EMPTY;
    }
    if (!lost.isEmpty()) {
      return GroupPhase.ASSIGNING;
    }
    boolean settled = of.values().stream().allMatch(Share::isSettled);
    return settled ? GroupPhase.STABLE : GroupPhase.RECONCILING;
  }
}
