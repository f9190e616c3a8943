package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Subscription;
import java.util.Collection;
import java.util.function.BiConsumer;

/**
 * One value of {@code partition.assignment.strategy}: what a member's Join says for it, and what
 * its group leader makes of what all have said.
 */
interface Strategy {

  /** The Join's metadata. */
  byte[] metadata(Subscription wanted, Claim claim);

  /**
   * @param complaints told of a member what of its metadata could not be read
   */
  GroupPlan plan(Collection<JoinedMember> group, BiConsumer<JoinedMember, String> complaints);

  /**
   * Whether members go on with what they own while they join: what changes hands is withheld for a
   * round, until the member that claims it has let go and joined without it (KIP-429).
   */
  boolean cooperative();

  /** Whether {@link #metadata} says the claim as {@code ownedPartitions}. */
  boolean claims();

  /** Whether its group leader can keep what a vanished member had for that member's return. */
  boolean delays();
}
