package io.rebalancer.coordinator.server;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The parts of one answer, from several threads, in the order asked. Thread-safe. */
final class Gathered<T> {

  private final @Nullable Object[] parts;
  private final Consumer<List<T>> complete;
  private int missing;

  /** {@code complete} is called once, with the last part, on that part's thread. */
  Gathered(int count, Consumer<List<T>> complete) {
    parts = new @Nullable Object[count];
    missing = count;
    this.complete = complete;
  }

  @SuppressWarnings("unchecked")
  void put(int place, T part) {
    synchronized (this) {
      parts[place] = part;
      missing--;
      if (missing > 0) {
        return;
      }
    }
    List<T> all = new ArrayList<>();
    Arrays.stream(parts).forEach(each -> all.add((T) requireNonNull(each)));
    complete.accept(all);
  }
}
