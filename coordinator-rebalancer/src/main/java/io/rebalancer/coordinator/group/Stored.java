package io.rebalancer.coordinator.group;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the store has, and what is on its way to it.
 *
 * @param last the state of the last write that succeeded, or that was read
 * @param underWay states being written, by their tokens; writes end in the order they were asked
 */
public record Stored(HardState last, SortedMap<Long, HardState> underWay) {

  public Stored {
    underWay = Collections.unmodifiableSortedMap(new TreeMap<>(underWay));
  }

  static Stored of(HardState last) {
    return new Stored(last, Collections.emptySortedMap());
  }

  Stored asked(long write, HardState state) {
    SortedMap<Long, HardState> next = new TreeMap<>(underWay);
    next.put(write, state);
    return new Stored(last, next);
  }

  /** {@code write} succeeded, or failed and left everything as it was. */
  Stored ended(long write, boolean succeeded) {
    HardState state = underWay.get(write);
    if (state == null) {
      return this;
    }
    SortedMap<Long, HardState> rest = new TreeMap<>(underWay);
    rest.remove(write);
    return new Stored(succeeded ? state : last, rest);
  }

  /** What the store will have if everything under way succeeds. */
  HardState expected() {
    return underWay.isEmpty()
        ? last
        : requireNonNull(underWay.get(underWay.lastKey()), "under way");
  }
}
