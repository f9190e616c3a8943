package io.rebalancer.core.assignor.member;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/** The assignors there are, by the protocol's names for them. */
public final class Assignors {

  private static final List<MemberAssignor> SHIPPED =
      List.of(
          new RangeMemberAssignor(),
          new RoundRobinMemberAssignor(),
          new StickyAssignor(),
          new CooperativeStickyAssignor(),
          new UniformAssignor(),
          new WeightedAssignor());

  private Assignors() {}

  /**
   * The shipped ones and those that the thread's context class loader finds as services of {@link
   * MemberAssignor}.
   *
   * @throws IllegalArgumentException when two have the same name
   * @throws java.util.ServiceConfigurationError when a service cannot be loaded
   */
  public static SortedMap<String, MemberAssignor> all() {
    SortedMap<String, MemberAssignor> all = new TreeMap<>();
    SHIPPED.forEach(assignor -> add(all, assignor));
    ServiceLoader.load(MemberAssignor.class).forEach(assignor -> add(all, assignor));
    return Collections.unmodifiableSortedMap(all);
  }

  private static void add(SortedMap<String, MemberAssignor> all, MemberAssignor assignor) {
    MemberAssignor other = all.putIfAbsent(assignor.name(), assignor);
    if (other != null) {
      throw new IllegalArgumentException(
          "assignor %s: both %s and %s"
              .formatted(
                  assignor.name(), other.getClass().getName(), assignor.getClass().getName()));
    }
  }

  /** Throws {@link IllegalArgumentException} that says which names there are. */
  public static MemberAssignor named(String name) {
    requireNonNull(name, "name");
    SortedMap<String, MemberAssignor> all = all();
    MemberAssignor found = all.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "assignor: " + name + " (expected: one of " + String.join(", ", all.keySet()) + ")");
    }
    return found;
  }
}
