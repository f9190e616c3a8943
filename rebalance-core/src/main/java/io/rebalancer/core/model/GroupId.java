package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

/**
 * The name of a consumer group.
 *
 * <p>ASCII letters, digits, '.', '_' and '-' only, as the original's {@code group.id} demanded
 * (kafka 0.8-1.1, {@code kafka.common.Config.validateChars}): the name is part of a znode path.
 */
public record GroupId(String value) implements Comparable<GroupId> {

  /** Throws {@link IllegalArgumentException} for a name that is empty or has other characters. */
  public GroupId {
    requireNonNull(value, "value");
    if (value.isEmpty() || !value.chars().allMatch(GroupId::isLegal)) {
      throw new IllegalArgumentException(
          "group: \"" + value + "\" (expected: ASCII alphanumerics, '.', '_' and '-')");
    }
  }

  private static boolean isLegal(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  @Override
  public int compareTo(GroupId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
