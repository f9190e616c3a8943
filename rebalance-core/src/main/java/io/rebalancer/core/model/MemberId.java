package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

/**
 * The id of one group member: the original's consumer id, or the id a coordinator handed out.
 *
 * <p>Ordered as the original orders ids: by {@link String#compareTo}, so {@code c-10} comes before
 * {@code c-2}.
 */
public record MemberId(String value) implements Comparable<MemberId> {

  public MemberId {
    requireNonNull(value, "value");
    if (value.isEmpty()) {
      throw new IllegalArgumentException("member id: \"\" (expected: at least one character)");
    }
  }

  @Override
  public int compareTo(MemberId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
