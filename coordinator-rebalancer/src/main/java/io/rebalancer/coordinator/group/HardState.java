package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.MemberId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What survives a coordinator: the last completed generation and who got what in it.
 *
 * @param protocolType of the members, empty when the group never had any
 * @param protocol chosen for this generation, empty when there are no members
 * @param leader id of the group leader, empty when there are no members
 * @param members in the order they first joined
 * @param shares of a server-assigned group with members, null for every other
 * @param announced the highest generation that members may have been told of: this one, or a later
 *     one that was given up
 */
public record HardState(
    int generation,
    String protocolType,
    String protocol,
    String leader,
    Map<MemberId, Member> members,
    @Nullable Shares shares,
    int announced) {

  public HardState {
    if (announced < generation) {
      throw new IllegalArgumentException(
          "announced: " + announced + " (expected: >= generation " + generation + ")");
    }
    members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
  }

  /** The same, of a classic group. */
  public HardState(
      int generation,
      String protocolType,
      String protocol,
      String leader,
      Map<MemberId, Member> members) {
    this(generation, protocolType, protocol, leader, members, null, generation);
  }

  /** After whose generation no other was announced. */
  public HardState(
      int generation,
      String protocolType,
      String protocol,
      String leader,
      Map<MemberId, Member> members,
      @Nullable Shares shares) {
    this(generation, protocolType, protocol, leader, members, shares, generation);
  }

  public static HardState empty() {
    return new HardState(0, "", "", "", Map.of());
  }

  HardState withMembers(Map<MemberId, Member> next) {
    return new HardState(generation, protocolType, protocol, leader, next, shares, announced);
  }

  HardState withLeader(String next) {
    return new HardState(generation, protocolType, protocol, next, members, shares, announced);
  }

  HardState withAnnounced(int next) {
    return new HardState(generation, protocolType, protocol, leader, members, shares, next);
  }

  HardState withProtocolType(String next) {
    return new HardState(generation, next, protocol, leader, members, shares, announced);
  }

  /** The same members with these parts; who is not named gets empty bytes. */
  HardState withAssignments(Map<MemberId, Opaque> parts) {
    Map<MemberId, Member> next = new LinkedHashMap<>();
    members.forEach(
        (id, member) ->
            next.put(id, member.withAssignment(parts.getOrDefault(id, Opaque.empty()))));
    return withMembers(next);
  }
}
