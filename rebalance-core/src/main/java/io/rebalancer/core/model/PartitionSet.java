package io.rebalancer.core.model;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * An immutable sorted set of partition numbers, kept as ranges: a million consecutive partitions
 * are one pair of ints.
 *
 * <p>Its text is the ranges in order, ends included: {@code 0-3,7,9-10}; the empty set is the empty
 * text.
 */
public final class PartitionSet {

  private static final PartitionSet EMPTY = new PartitionSet(new int[0]);

  /** first, last, first, last, ...; sorted, disjoint, and no two ranges touch. */
  private final int[] bounds;

  private PartitionSet(int[] bounds) {
    this.bounds = bounds;
  }

  public static PartitionSet empty() {
    return EMPTY;
  }

  /** The partitions {@code first} to {@code first + count - 1}. */
  public static PartitionSet range(int first, int count) {
    if (first < 0 || count < 0) {
      throw new IllegalArgumentException("range: " + first + " + " + count + " (expected: >= 0)");
    }
    return count == 0 ? EMPTY : new PartitionSet(new int[] {first, first + count - 1});
  }

  public static PartitionSet of(int... partitions) {
    BitSet bits = new BitSet();
    for (int partition : partitions) {
      bits.set(partition);
    }
    return ofBits(bits);
  }

  public static PartitionSet copyOf(Collection<Integer> partitions) {
    BitSet bits = new BitSet();
    partitions.forEach(bits::set);
    return ofBits(bits);
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException for anything {@link #toString} would not write
   */
  public static PartitionSet parse(String text) {
    BitSet bits = new BitSet();
    if (!text.isEmpty()) {
      for (String part : text.split(",", -1)) {
        int dash = part.indexOf('-');
        try {
          int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
          int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
          bits.set(first, last + 1);
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
          throw new IllegalArgumentException(
              "partitions: \"" + text + "\" (expected: ranges like 0-3,7)", e);
        }
      }
    }
    return ofBits(bits);
  }

  private static PartitionSet ofBits(BitSet bits) {
    IntStream.Builder bounds = IntStream.builder();
    int first = bits.nextSetBit(0);
    while (first >= 0) {
      int end = bits.nextClearBit(first);
      bounds.add(first).add(end - 1);
      first = bits.nextSetBit(end);
    }
    int[] array = bounds.build().toArray();
    return array.length == 0 ? EMPTY : new PartitionSet(array);
  }

  private BitSet bits() {
    BitSet bits = new BitSet();
    for (int i = 0; i < bounds.length; i += 2) {
      bits.set(bounds[i], bounds[i + 1] + 1);
    }
    return bits;
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
    if (isEmpty()) {
      return other;
    }
    BitSet bits = bits();
    bits.or(other.bits());
    return ofBits(bits);
  }

  public PartitionSet minus(PartitionSet other) {
    BitSet bits = bits();
    bits.andNot(other.bits());
    return ofBits(bits);
  }

  public PartitionSet and(PartitionSet other) {
    BitSet bits = bits();
    bits.and(other.bits());
    return ofBits(bits);
  }

  /**
   * The partitions at positions {@code from} to {@code from + count - 1} of the ascending order.
   */
  public PartitionSet slice(int from, int count) {
    return PartitionSet.of(stream().skip(from).limit(count).toArray());
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
