package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;

/**
 * What a member says when it joins that it still has.
 *
 * @param generation of which it says so, {@link #UNTOLD} when its protocol has no word for that, or
 *     it has lost everything
 */
public record Kept(Assignment partitions, int generation) {

  static final int UNTOLD = -1;

  public static final Kept NOTHING = new Kept(Assignment.empty(), UNTOLD);

  boolean isTold() {
    return generation != UNTOLD;
  }

  /** The same member's other protocol may say more. */
  public Kept plus(Kept other) {
    return new Kept(partitions.plus(other.partitions), Math.max(generation, other.generation));
  }
}
