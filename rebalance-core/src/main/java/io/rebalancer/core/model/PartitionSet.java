package io.rebalancer.core.model;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted set of partition numbers, kept as ranges: a million consecutive partitions
 * are one pair of ints.
 *
 * <p>Its text is the ranges in order, ends included: {@code 0-3,7,9-10}; the empty set is the empty
 * text.
 */
public final class PartitionSet {

  /** The highest partition number: one below the highest int, so that loops up to it end. */
  public static final int HIGHEST = Integer.MAX_VALUE - 1;

  private static final PartitionSet EMPTY = new PartitionSet(new int[0]);

  /** first, last, first, last, ...; sorted, disjoint, and no two ranges touch. */
  private final int[] bounds;

  private PartitionSet(int[] bounds) {
    this.bounds = bounds;
  }

  public static PartitionSet empty() {
    return EMPTY;
  }

  /**
   * The partitions {@code first} to {@code first + count - 1}.
   *
   * @throws IllegalArgumentException when one of them is no partition number
   */
  public static PartitionSet range(int first, int count) {
    if (first < 0 || count < 0 || first > Integer.MAX_VALUE - count) {
      throw new IllegalArgumentException(
          "range: " + first + " + " + count + " (expected: >= 0, no number above " + HIGHEST + ")");
    }
    return count == 0 ? EMPTY : new PartitionSet(new int[] {first, first + count - 1});
  }

  /**
   * Of numbers in any order, also repeated ones.
   *
   * @throws IllegalArgumentException when one is no partition number
   */
  public static PartitionSet of(int... partitions) {
    return ofSorted(IntStream.of(partitions).sorted());
  }

  /**
   * Of numbers in any order, also repeated ones.
   *
   * @throws IllegalArgumentException when one is no partition number
   */
  public static PartitionSet copyOf(Collection<Integer> partitions) {
    return ofSorted(partitions.stream().mapToInt(Integer::intValue).sorted());
  }

  /** Takes room for the ranges, not for the numbers below the highest: anybody may name that. */
  private static PartitionSet ofSorted(IntStream partitions) {
    Builder ranges = new Builder();
    partitions.distinct().forEachOrdered(partition -> ranges.add(partition, partition));
    return ranges.build();
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException for anything {@link #toString} would not write
   */
  public static PartitionSet parse(String text) {
    Builder ranges = new Builder();
    try {
      for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
        int dash = part.indexOf('-');
        int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
        ranges.add(first, dash < 0 ? first : Integer.parseInt(part.substring(dash + 1)));
      }
    } catch (IllegalArgumentException e) {
      throw unreadable(text, e);
    }
    PartitionSet set = ranges.build();
    if (!set.toString().equals(text)) {
      throw unreadable(text, null);
    }
    return set;
  }

  private static IllegalArgumentException unreadable(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "partitions: \"" + text + "\" (expected: ranges like 0-3,7)", cause);
  }

  public boolean isEmpty() {
    return bounds.length == 0;
  }

  public int size() {
    int size = 0;
    for (int i = 0; i < bounds.length; i += 2) {
      size += bounds[i + 1] - bounds[i] + 1;
    }
    return size;
  }

  public boolean contains(int partition) {
    int at = Arrays.binarySearch(bounds, partition);
    return at >= 0 || (-at - 1) % 2 == 1;
  }

  public PartitionSet plus(PartitionSet other) {
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() ? other : this;
    }
    return combined(other, (mine, others) -> mine || others);
  }

  public PartitionSet minus(PartitionSet other) {
    if (isEmpty() || other.isEmpty() || isApart(other)) {
      return this;
    }
    return combined(other, (mine, others) -> mine && !others);
  }

  public PartitionSet and(PartitionSet other) {
    if (isEmpty() || other.isEmpty() || isApart(other)) {
      return EMPTY;
    }
    return combined(other, (mine, others) -> mine && others);
  }

  private boolean isApart(PartitionSet other) {
    return bounds[bounds.length - 1] < other.bounds[0]
        || other.bounds[other.bounds.length - 1] < bounds[0];
  }

  private interface Rule {
    boolean holds(boolean mine, boolean others);
  }

  /** Walks both sets from bound to bound; what lies between two bounds is in or out as a whole. */
  private PartitionSet combined(PartitionSet other, Rule rule) {
    Builder result = new Builder();
    int i = 0;
    int j = 0;
    long from = 0;
    while (i < bounds.length || j < other.bounds.length) {
      long to = Math.min(edge(bounds, i), edge(other.bounds, j));
      if (from < to && rule.holds(i % 2 == 1, j % 2 == 1)) {
        result.add((int) from, (int) (to - 1));
      }
      i += edge(bounds, i) == to ? 1 : 0;
      j += edge(other.bounds, j) == to ? 1 : 0;
      from = to;
    }
    return result.build();
  }

  /** Where the set begins or, at an odd index, has ended. */
  private static long edge(int[] bounds, int index) {
    return index == bounds.length ? Long.MAX_VALUE : (long) bounds[index] + index % 2;
  }

  /**
   * The partitions at positions {@code from} to {@code from + count - 1} of the ascending order.
   */
  public PartitionSet slice(int from, int count) {
    Builder slice = new Builder();
    int skip = from;
    int left = count;
    for (int i = 0; i < bounds.length && left > 0; i += 2) {
      int size = bounds[i + 1] - bounds[i] + 1;
      if (skip < size) {
        int taken = Math.min(size - skip, left);
        slice.add(bounds[i] + skip, bounds[i] + skip + taken - 1);
        left -= taken;
        skip = 0;
      } else {
        skip -= size;
      }
    }
    return slice.build();
  }

  /** Collects ranges that come in ascending order and do not overlap. */
  public static final class Builder {

    private int[] bounds = new int[4];
    private int length;

    /** Throws {@link IllegalArgumentException} for a range that is not behind all before it. */
    public void add(int first, int last) {
      if (first < 0 || last > HIGHEST) {
        throw new IllegalArgumentException(
            "partition: " + (first < 0 ? first : last) + " (expected: 0 to " + HIGHEST + ")");
      }
      if (first > last || (length > 0 && first <= bounds[length - 1])) {
        throw new IllegalArgumentException(
            "range: " + first + "-" + last + " (expected: ascending, behind those before it)");
      }
      if (length > 0 && bounds[length - 1] == first - 1) {
        bounds[length - 1] = last;
        return;
      }
      if (length == bounds.length) {
        bounds = Arrays.copyOf(bounds, 2 * length);
      }
      bounds[length++] = first;
      bounds[length++] = last;
    }

    public PartitionSet build() {
      return length == 0 ? EMPTY : new PartitionSet(Arrays.copyOf(bounds, length));
    }
  }

  /** How many ranges it takes. */
  public int ranges() {
    return bounds.length / 2;
  }

  /** The first partition of a range. */
  public int first(int range) {
    return bounds[2 * range];
  }

  /** The last partition of a range. */
  public int last(int range) {
    return bounds[2 * range + 1];
  }

  /** Ascending. */
  public IntStream stream() {
    return IntStream.range(0, bounds.length / 2)
        .flatMap(i -> IntStream.rangeClosed(bounds[2 * i], bounds[2 * i + 1]));
  }

  /** Ascending. */
  public void forEach(IntConsumer action) {
    stream().forEach(action);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionSet set && Arrays.equals(bounds, set.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bounds.length; i += 2) {
      if (i > 0) {
        text.append(',');
      }
      text.append(bounds[i]);
      if (bounds[i + 1] > bounds[i]) {
        text.append('-').append(bounds[i + 1]);
      }
    }
    return text.toString();
  }
}
