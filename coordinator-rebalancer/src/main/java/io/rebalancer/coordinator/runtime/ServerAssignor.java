package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupEffect.Claimant;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.core.assignor.member.Assignors;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Computes the assignments of server-assigned groups, away from the groups' loops: a large group
 * must not hold up the others. Racks, of members and of replicas, are as they are at that moment: a
 * rack that changes causes no rebalance.
 */
public final class ServerAssignor {

  private final TopicSource topics;
  private final Executor executor;
  private final Function<Opaque, String> rackReader;

  /**
   * @param rackReader the rack (KIP-881) that a member's metadata names; empty when it names none
   */
  public ServerAssignor(
      TopicSource topics, Executor executor, Function<Opaque, String> rackReader) {
    this.topics = topics;
    this.executor = executor;
    this.rackReader = rackReader;
  }

  /** Of members that have no racks. */
  public ServerAssignor(TopicSource topics, Executor executor) {
    this(topics, executor, metadata -> "");
  }

  /** Fails with whatever the assignor throws; completes on the executor. */
  CompletableFuture<Map<MemberId, Assignment>> assign(GroupEffect.Assign group) {
    return CompletableFuture.supplyAsync(() -> compute(group), executor);
  }

  private Map<MemberId, Assignment> compute(GroupEffect.Assign group) {
    TopicCatalog catalog = topics.current();
    Map<String, PartitionSet> partitions = new HashMap<>();
    List<Member> members = new ArrayList<>();
    for (Claimant claimant : group.members()) {
      claimant.topics().forEach(topic -> partitions.put(topic, catalog.partitions(topic)));
      members.add(
          new Member(
              claimant.id(),
              claimant.instanceId(),
              TopicSet.copyOf(claimant.topics()),
              claimant.previous(),
              claimant.previous().isEmpty() ? Member.NO_GENERATION : group.generation() - 1,
              rackReader.apply(claimant.metadata()),
              1));
    }
    GroupInput input = GroupInput.of(partitions, members);
    return Assignors.named(group.assignor())
        .assign(input.withRacks(catalog.racks(partitions.keySet())))
        .shares();
  }
}
