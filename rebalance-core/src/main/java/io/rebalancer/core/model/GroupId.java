package io.rebalancer.core.model;

/** The name of a consumer group: a {@link LegalName}, as the original's {@code group.id}. */
public record GroupId(String value) implements Comparable<GroupId> {

  /** Throws {@link IllegalArgumentException} for what is no {@link LegalName}. */
  public GroupId {
    LegalName.demand("group", value);
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
