package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** As the original consumer divides: among threads, whatever was whose before. */
record ThreadStrategy(PartitionAssignor assignor) implements Strategy {

  record Plan(PartitionAssignor assignor, Map<MemberId, Subscription> members)
      implements GroupPlan {

    @Override
    public SortedSet<String> topics() {
      SortedSet<String> topics = new TreeSet<>();
      members.values().forEach(wanted -> topics.addAll(wanted.streams().keySet()));
      return topics;
    }

    @Override
    public Map<MemberId, Assignment> shares(KnownTopics topics) {
      return assignor.assign(topics.partitions(), members);
    }
  }

  /** It claims nothing, and says of which generation, as Kafka's clients do (KIP-792). */
  @Override
  public byte[] metadata(Subscription wanted, Claim claim) {
    return EmbeddedProtocol.encode(
        wanted.streams().keySet(), claim.ofNothing(), StreamCounts.encode(wanted));
  }

  @Override
  public GroupPlan plan(
      Collection<JoinedMember> group, BiConsumer<JoinedMember, String> complaints) {
    SortedMap<MemberId, Subscription> members = new TreeMap<>();
    group.forEach(
        member ->
            members.put(
                member.id(),
                StreamCounts.decode(
                    member.subscription().topics(), member.subscription().userData())));
    return new Plan(assignor, members);
  }

  @Override
  public boolean cooperative() {
    return false;
  }

  @Override
  public boolean claims() {
    return false;
  }

  @Override
  public boolean delays() {
    return false;
  }
}
