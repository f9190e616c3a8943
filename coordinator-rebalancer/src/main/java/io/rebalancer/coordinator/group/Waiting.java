package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.MemberId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Who the group waits for and who waits for the group; lost with the coordinator, since clients
 * repeat their requests.
 *
 * @param pending ids handed out whose clients have not come back yet
 * @param joins parked Joins
 * @param syncs parked Syncs
 * @param unsynced members of this generation that have not asked for their part yet; of a
 *     server-assigned group that was over-full when it was read, those that have not joined since
 * @param newcomers members whose first Join is still parked
 * @param replacements static members under their new ids, until these are stored
 */
public record Waiting(
    Set<MemberId> pending,
    Map<MemberId, RequestId> joins,
    Map<MemberId, RequestId> syncs,
    Set<MemberId> unsynced,
    Set<MemberId> newcomers,
    Map<MemberId, Replacement> replacements) {

  static final Waiting NOBODY =
      new Waiting(Set.of(), Map.of(), Map.of(), Set.of(), Set.of(), Map.of());

  public Waiting {
    pending = frozen(pending);
    joins = Collections.unmodifiableMap(new LinkedHashMap<>(joins));
    syncs = Collections.unmodifiableMap(new LinkedHashMap<>(syncs));
    unsynced = frozen(unsynced);
    newcomers = frozen(newcomers);
    replacements = Collections.unmodifiableMap(new LinkedHashMap<>(replacements));
  }

  private static Set<MemberId> frozen(Set<MemberId> ids) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(ids));
  }
}
