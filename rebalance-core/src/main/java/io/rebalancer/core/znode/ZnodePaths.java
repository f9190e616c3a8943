package io.rebalancer.core.znode;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;

/** Paths of the historical layout, without chroot (kafka 0.8-1.1, {@code kafka.utils.ZkUtils}). */
public final class ZnodePaths {

  public static final String CONSUMERS = "/consumers";
  public static final String BROKERS = "/brokers";
  public static final String BROKER_IDS = "/brokers/ids";
  public static final String BROKER_TOPICS = "/brokers/topics";

  private ZnodePaths() {}

  public static String group(GroupId group) {
    return CONSUMERS + "/" + group;
  }

  public static String ids(GroupId group) {
    return group(group) + "/ids";
  }

  public static String id(GroupId group, MemberId member) {
    return ids(group) + "/" + member;
  }

  public static String owners(GroupId group) {
    return group(group) + "/owners";
  }

  public static String owner(GroupId group, TopicPartition partition) {
    return owners(group) + "/" + partition.topic() + "/" + partition.partition();
  }

  public static String offsets(GroupId group) {
    return group(group) + "/offsets";
  }

  public static String offset(GroupId group, TopicPartition partition) {
    return offsets(group) + "/" + partition.topic() + "/" + partition.partition();
  }

  public static String broker(int id) {
    return BROKER_IDS + "/" + id;
  }

  public static String topic(String name) {
    return BROKER_TOPICS + "/" + name;
  }
}
