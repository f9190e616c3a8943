package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;

/**
 * What a member says of its last assignment when it joins again. An eager member has given
 * everything up before, so that it is a wish; a cooperative one goes on with what it claims.
 *
 * @param last what it was given
 * @param generation in which it was
 * @param held whether the member was still the group's when it gave that up; false once it has lost
 *     it
 */
record Claim(Assignment last, int generation, boolean held) {

  /** Of a member that has not been given anything yet. */
  static final Claim NONE = new Claim(Assignment.empty(), MemberState.NO_GENERATION, false);

  Claim {
    requireNonNull(last, "last");
  }

  static Claim of(Assignment last, int generation) {
    return new Claim(last, generation, true);
  }

  Claim lost() {
    return new Claim(last, generation, false);
  }

  Claim ofNothing() {
    return new Claim(Assignment.empty(), generation, held);
  }

  /** As {@code ownedPartitions}: what is lost may be another's, and is not claimed. */
  Assignment owned() {
    return held ? last : Assignment.empty();
  }

  /** Of {@link #owned}. */
  int ownedGeneration() {
    return held ? generation : MemberState.NO_GENERATION;
  }
}
