package io.rebalancer.coordinator.simulation;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Who processes which partition, whether the group knows or not: no two by right. */
final class Ownership {

  private final World world;
  private final SimulatedStore store;
  private final Oracle oracle;
  private final Map<TopicPartition, Set<MemberModel>> processing = new HashMap<>();

  /**
   * Members that missed a join phase, or were in it by a Join of a connection they had given up,
   * and have not taken up a share since: others may have been given what these go on with.
   */
  private final Set<String> late = new HashSet<>();

  Ownership(World world, SimulatedStore store, Oracle oracle) {
    this.world = world;
    this.store = store;
    this.oracle = oracle;
  }

  /** Others may have been given what {@code member} goes on with. */
  void late(String memberId) {
    late.add(memberId);
  }

  Assignment processed(MemberModel member) {
    return Assignment.ofPartitions(
        processing.entrySet().stream()
            .filter(e -> e.getValue().contains(member))
            .map(Map.Entry::getKey)
            .toList());
  }

  void stops(MemberModel member, Assignment partitions) {
    partitions.stream()
        .forEach(
            p -> {
              Set<MemberModel> members = processing.get(p);
              if (members != null) {
                members.remove(member);
              }
            });
  }

  void starts(MemberModel member, Assignment partitions) {
    world.note(partitions.size(), () -> member + " takes up " + partitions);
    if (isInStoredGeneration(member)) {
      late.remove(member.memberId());
    }
    boolean entitled = entitled(member);
    partitions.stream()
        .forEach(
            p -> {
              Set<MemberModel> members =
                  processing.computeIfAbsent(p, each -> new LinkedHashSet<>());
              members.add(member);
              for (MemberModel other : members) {
                if (other != member) {
                  if (entitled && entitled(other)) {
                    throw oracle.violated(
                        Invariant.EXCLUSIVE,
                        member + " takes up " + p + " while " + other + " has it");
                  }
                  oracle.zombie();
                }
              }
            });
  }

  private boolean isInStoredGeneration(MemberModel member) {
    return store.generationOf(member.memberId()) == member.generation();
  }

  /** Whether the stored generation names it, by a Join that it knows of. */
  private boolean entitled(MemberModel member) {
    String id = member.memberId();
    if (id.isEmpty()) {
      return false;
    }
    return store.state().filter(s -> s.members().containsKey(new MemberId(id))).isPresent()
        && !late.contains(id)
        && !oracle.isExcused(id);
  }

  void granted(String id, Assignment partitions) {
    partitions.stream()
        .forEach(
            p ->
                processing.getOrDefault(p, Set.of()).stream()
                    .filter(model -> !model.memberId().equals(id) && entitled(model))
                    .forEach(
                        model -> {
                          throw oracle.violated(
                              Invariant.EXCLUSIVE,
                              p + " is granted to " + id + " while " + model + " processes it");
                        }));
  }
}
