package io.rebalancer.core.assignor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * The orders in which maps of Scala 2.11 hand out their keys.
 *
 * <p>A {@code scala.collection.mutable.HashMap} is a table of 16, doubled when more than three
 * quarters of it are taken, new entries at the head of their chain, walked from the last bucket to
 * the first. A {@code scala.collection.immutable.Map} keeps up to four keys as they came; more are
 * in a trie, by five bits of their mixed hash code at a time, the lowest first.
 */
final class ScalaHashOrder {

  private static final int FIRST_TABLE = 16;
  private static final int MULTIPLIER = 0x9e3775cd;
  private static final int ROTATION = 4;
  private static final int KEPT = 4;
  private static final int DIGIT = 5;

  private ScalaHashOrder() {}

  /**
   * The order after an immutable map was filled with {@code keys}, and then {@code passes} mutable
   * ones each from the one before.
   */
  static List<String> of(Collection<String> keys, int passes) {
    List<String> order = immutable(keys);
    for (int pass = 0; pass < passes; pass++) {
      order = walk(filled(order));
    }
    return order;
  }

  private static List<String> immutable(Collection<String> keys) {
    if (keys.size() <= KEPT) {
      return List.copyOf(keys);
    }
    return keys.stream()
        .sorted(Comparator.comparingLong(key -> digitsReversed(trieHash(key))))
        .toList();
  }

  private static int trieHash(String key) {
    int hash = key.hashCode();
    hash += ~(hash << 9);
    hash ^= hash >>> 14;
    hash += hash << 4;
    return hash ^ (hash >>> 10);
  }

  private static long digitsReversed(int hash) {
    long reversed = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += DIGIT) {
      reversed = reversed << DIGIT | (hash >>> shift & (1 << DIGIT) - 1);
    }
    return reversed;
  }

  private static List<Deque<String>> filled(List<String> keys) {
    List<Deque<String>> table = table(FIRST_TABLE);
    for (int size = 1; size <= keys.size(); size++) {
      put(table, keys.get(size - 1));
      if (size > table.size() * 3 / 4) {
        List<Deque<String>> larger = table(2 * table.size());
        walk(table).forEach(key -> put(larger, key));
        table = larger;
      }
    }
    return table;
  }

  private static List<Deque<String>> table(int size) {
    List<Deque<String>> table = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      table.add(new ArrayDeque<>());
    }
    return table;
  }

  private static void put(List<Deque<String>> table, String key) {
    int mask = table.size() - 1;
    int mixed = Integer.reverseBytes(key.hashCode() * MULTIPLIER) * MULTIPLIER;
    int index =
        (Integer.rotateRight(mixed, ROTATION) >>> Integer.numberOfLeadingZeros(mask)) & mask;
    table.get(index).addFirst(key);
  }

  private static List<String> walk(List<Deque<String>> table) {
    List<String> order = new ArrayList<>();
    for (int i = table.size() - 1; i >= 0; i--) {
      order.addAll(table.get(i));
    }
    return order;
  }
}
