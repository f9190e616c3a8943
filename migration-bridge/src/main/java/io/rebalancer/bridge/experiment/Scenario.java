package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One kind of change that a settled group is put through. */
public interface Scenario {

  /** As in {@code --scenario}. */
  String name();

  /** The changes in order; the group settles after each before the next is made. */
  List<Change> changes(Stage stage);

  /**
   * Notifications that the change must cause, computed before it is made; empty where a race
   * decides how many one-shot watches are set again in between.
   */
  OptionalLong expectedNotifications(Watching watching, CompareParameters parameters);

  /** Whether every member that is there after the change rebalances because of it. */
  default boolean everybodyReacts(Watching watching) {
    return true;
  }

  /**
   * One event from outside.
   *
   * @param what it is, for the record, such as {@code leave m-000020}
   */
  record Change(String what, Runnable action) {}

  /** Who holds which watches, which is all that the model needs to know of an engine. */
  enum Watching {
    /** Every member: children of the group's ids and of brokers, and its topics. */
    EVERY_MEMBER_ALSO_BROKERS,
    /**
     * Every member: children of the group's ids, and its topics. In profile 0.7 it is the topics'
     * children; but the look whether a topic exists is a watch on its data too, which is told of
     * and leads to nothing.
     */
    EVERY_MEMBER,
    /** One coordinator: everything below /brokers, no membership. */
    COORDINATOR_ONLY
  }
}
