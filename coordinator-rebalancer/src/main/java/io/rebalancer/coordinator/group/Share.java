package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;

/**
 * What one member of a server-assigned group has and is to have.
 *
 * @param generation in which it was last answered, {@link #NEVER} before; its heartbeats and
 *     commits carry this one, whatever the generation of the group
 * @param target what it is to have in the end
 * @param granted what it was last told that it has
 * @param held what it may be processing: all that was granted and that it has not shown to have let
 *     go; of no two members the same
 */
public record Share(int generation, Assignment target, Assignment granted, Assignment held) {

  static final int NEVER = -1;

  public static final Share NOTHING =
      new Share(NEVER, Assignment.empty(), Assignment.empty(), Assignment.empty());

  Share withTarget(Assignment next) {
    return new Share(generation, next, granted, held);
  }

  /**
   * Whether a Join speaks of an earlier generation than its sender was answered in. Either that
   * answer was lost, or the Join was under way for long, and its sender may process what it was
   * given since: it tells nothing of what was let go.
   */
  boolean isAfter(Kept kept) {
    return kept.isTold() && kept.generation() < generation;
  }

  /** It has let go of all but {@code kept}. */
  Share keeping(Assignment kept) {
    return new Share(generation, target, granted, held.and(kept));
  }

  /** It may be processing {@code others} as well. */
  Share holding(Assignment others) {
    return new Share(generation, target, granted, held.plus(others));
  }

  /** What it is to have and does not hold. */
  Assignment missing() {
    return target.minus(held);
  }

  /** As it is answered: what it keeps of its target, and {@code free}, which is missing to it. */
  Share granting(int inGeneration, Assignment free) {
    return new Share(inGeneration, target, target.and(held).plus(free), held.plus(free));
  }

  boolean mustLetGo() {
    return !held.minus(target).isEmpty();
  }

  boolean isSettled() {
    return held.equals(target) && granted.equals(target);
  }
}
