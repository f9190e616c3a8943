package io.rebalancer.coordinator.store;

import io.rebalancer.core.model.GroupId;

/** The coordinator's own znodes, without chroot. */
public final class CoordinatorPaths {

  public static final String ROOT = "/rebalancer";
  public static final String SLOTS = ROOT + "/slots";
  public static final String COORDINATORS = ROOT + "/coordinators";
  public static final String GROUPS = ROOT + "/groups";

  /** As many as Kafka's offsets topic has partitions; must never change once groups exist. */
  public static final int SLOT_COUNT = 50;

  private CoordinatorPaths() {}

  public static String slot(int number) {
    return SLOTS + (number < 10 ? "/0" : "/") + number;
  }

  /** The slot of a group (Kafka: {@code Utils.abs(groupId.hashCode) % partitions}). */
  public static int slotOf(GroupId group) {
    int hash = group.value().hashCode();
    return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % SLOT_COUNT;
  }

  public static String coordinator(int nodeId) {
    return COORDINATORS + "/" + nodeId;
  }

  public static String group(GroupId group) {
    return GROUPS + "/" + group;
  }

  public static String offsets(GroupId group) {
    return group(group) + "/offsets";
  }

  public static String offsets(GroupId group, String topic) {
    return offsets(group) + "/" + topic;
  }

  public static String offsets(GroupId group, String topic, int block) {
    return offsets(group, topic) + "/" + block;
  }
}
