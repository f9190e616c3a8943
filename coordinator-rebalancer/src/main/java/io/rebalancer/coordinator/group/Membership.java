package io.rebalancer.coordinator.group;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.core.model.MemberId;

/** How members come and go: what differs between the two kinds of group. */
interface Membership {

  /** Whether {@code join} speaks a protocol that the group's members speak, too. */
  boolean speaksWith(GroupState group, JoinRequested join);

  /** Takes a new member in. */
  void admit(Draft draft, JoinRequested join, MemberId id);

  /** A member joins again. */
  void rejoin(Draft draft, JoinRequested join, Member known);

  /** A static member comes back without its member id, and gets a new one. */
  void replace(Draft draft, JoinRequested join, Member former);

  /** Forgets a member; whatever it still waits for is answered UNKNOWN_MEMBER_ID. */
  void drop(Draft draft, MemberId member);

  /** After members were dropped: the others must share what these had. */
  void afterDrop(Draft draft, Reason reason);

  /** After an id was forgotten that was handed out and not come back with. */
  void afterPending(Draft draft);
}
