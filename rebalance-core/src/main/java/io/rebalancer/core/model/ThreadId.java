package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

/**
 * One stream of a member, the unit the original assigns partitions to (kafka 0.8-1.1, {@code
 * ConsumerThreadId}).
 *
 * <p>Its text, {@code MEMBER-N}, is the payload of an owner znode and the sort key of both
 * strategies: order is that of the whole text, so thread 10 comes before thread 2.
 */
public record ThreadId(MemberId member, int number) implements Comparable<ThreadId> {

  public ThreadId {
    requireNonNull(member, "member");
    if (number < 0) {
      throw new IllegalArgumentException("thread number: " + number + " (expected: >= 0)");
    }
  }

  /**
   * Reads an owner znode's payload: the member id ends at the last '-', since host names contain
   * '-'.
   *
   * @throws IllegalArgumentException if there is no '-' or no thread number behind it
   */
  public static ThreadId parse(String text) {
    int cut = text.lastIndexOf('-');
    if (cut <= 0) {
      throw new IllegalArgumentException("thread id: \"" + text + "\" (expected: MEMBER-NUMBER)");
    }
    try {
      return new ThreadId(
          new MemberId(text.substring(0, cut)), Integer.parseInt(text.substring(cut + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "thread id: \"" + text + "\" (expected: MEMBER-NUMBER)", e);
    }
  }

  @Override
  public int compareTo(ThreadId other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return member.value() + "-" + number;
  }
}
