package io.rebalancer.coordinator.group;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.MemberId;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One member as the coordinator knows it.
 *
 * @param instanceId of a static member ({@code group.instance.id}, KIP-345), empty for a dynamic
 *     one
 * @param protocols in the member's order of preference
 * @param topics what it subscribes to, empty when its protocols say nothing of topics
 * @param assignment of the last completed generation; empty bytes before
 */
public record Member(
    MemberId id,
    String instanceId,
    ClientInfo client,
    int sessionTimeoutMs,
    int rebalanceTimeoutMs,
    List<Protocol> protocols,
    Set<String> topics,
    Opaque assignment) {

  public Member {
    requireNonNull(id, "id");
    requireNonNull(instanceId, "instanceId");
    requireNonNull(client, "client");
    protocols = List.copyOf(protocols);
    topics = Collections.unmodifiableSet(new TreeSet<>(topics));
    requireNonNull(assignment, "assignment");
  }

  Member withAssignment(Opaque next) {
    return new Member(
        id, instanceId, client, sessionTimeoutMs, rebalanceTimeoutMs, protocols, topics, next);
  }

  public boolean isStatic() {
    return !instanceId.isEmpty();
  }

  /** What it sent with {@code protocol}; empty bytes when it does not know it. */
  public Opaque metadata(String protocol) {
    for (Protocol known : protocols) {
      if (known.name().equals(protocol)) {
        return known.metadata();
      }
    }
    return Opaque.empty();
  }

  boolean knows(String protocol) {
    return protocols.stream().anyMatch(known -> known.name().equals(protocol));
  }
}
