package io.rebalancer.core.model;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.TreeSet;

/**
 * An immutable sorted set of topic names. Ten thousand members that subscribe to the same topics
 * share one.
 */
public final class TopicSet extends AbstractSet<String> {

  private static final TopicSet EMPTY = new TopicSet(new String[0]);

  private final String[] names;
  private final int hash;

  private TopicSet(String[] names) {
    this.names = names;
    int sum = 0; // As every set's: the sum of its elements'.
    for (String name : names) {
      sum += name.hashCode();
    }
    this.hash = sum;
  }

  public static TopicSet of(String... names) {
    return copyOf(Arrays.asList(names));
  }

  /** What already is one is not copied. */
  public static TopicSet copyOf(Collection<String> names) {
    if (names instanceof TopicSet set) {
      return set;
    }
    return names.isEmpty() ? EMPTY : new TopicSet(new TreeSet<>(names).toArray(String[]::new));
  }

  @Override
  public boolean contains(Object name) {
    return name instanceof String text && Arrays.binarySearch(names, text) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TopicSet set ? Arrays.equals(names, set.names) : super.equals(other);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Ascending. */
  @Override
  public Iterator<String> iterator() {
    return Arrays.asList(names).iterator();
  }

  @Override
  public int size() {
    return names.length;
  }
}
