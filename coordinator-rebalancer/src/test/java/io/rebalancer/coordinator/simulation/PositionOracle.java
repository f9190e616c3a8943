package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What members commit: confirmed only when it is stored. */
final class PositionOracle {

  /** A position on its way to the store, in the order in which they came. */
  private record Asked(Ticket ticket, CommittedOffset offset) {}

  private final World world;
  private final SimulatedStore store;
  private final Oracle oracle;
  private final Map<TopicPartition, List<Asked>> asked = new HashMap<>();
  private long commits;

  PositionOracle(World world, SimulatedStore store, Oracle oracle) {
    this.world = world;
    this.store = store;
    this.oracle = oracle;
  }

  void asked(Ticket ticket) {
    ticket
        .ask
        .offsets()
        .forEach(
            (partition, offset) ->
                asked
                    .computeIfAbsent(partition, p -> new ArrayList<>())
                    .add(new Asked(ticket, offset)));
  }

  /** Rising, with a stamp that tells the order in which members sent them. */
  Map<TopicPartition, CommittedOffset> next(Assignment owned) {
    Map<TopicPartition, CommittedOffset> positions = new TreeMap<>();
    long stamp = ++commits;
    // Now and then the position of before, which the store need not write again.
    long offset = world.chance(300) ? stamp / 8 * 8 : stamp;
    owned.stream().forEach(p -> positions.put(p, new CommittedOffset(offset, -1, "", world.now())));
    return positions;
  }

  /** The group is removed: what was stored before may be confirmed after. */
  void forgotten() {
    asked.clear();
  }

  /** What is stored is this commit's position, or that of one that came after it. */
  void committed(Ticket ticket) {
    ticket
        .ask
        .offsets()
        .forEach(
            (partition, offset) -> {
              CommittedOffset stored = store.offsets().get(partition);
              List<Asked> from =
                  asked.getOrDefault(partition, List.of()).stream()
                      .dropWhile(each -> each.ticket() != ticket)
                      .toList();
              boolean there =
                  from.isEmpty() // Asked before the group was removed.
                      || (stored != null
                          && from.stream().anyMatch(each -> each.offset().samePositionAs(stored)));
              if (!there) {
                throw oracle.violated(
                    Invariant.STORED_FIRST,
                    ticket.ask + " is confirmed, stored is " + stored + " not " + offset);
              }
            });
  }

  /** The store is asked to forget {@code gone}. */
  void expired(Set<TopicPartition> gone) {
    for (TopicPartition partition : gone) {
      CommittedOffset stored = store.offsets().get(partition);
      if (stored != null && world.now() - stored.timestampMs() < world.retentionMs) {
        throw oracle.violated(
            Invariant.POSITIONS_ARE_KEPT, partition + " is forgotten, it was " + stored);
      }
    }
  }
}
