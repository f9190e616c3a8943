package io.rebalancer.zk.runtime;

import io.rebalancer.zk.protocol.Trigger;

/**
 * Something a consumer watches, and the rebalance trigger it stands for.
 *
 * @param topic the topic's name; empty for the others
 */
public record WatchTarget(Trigger trigger, String topic) {

  /** Children of the group's ids, and whether ids exists. */
  public static final WatchTarget MEMBERS = new WatchTarget(Trigger.MEMBERS, "");

  /** Children of /brokers/ids, and whether it exists. */
  public static final WatchTarget BROKERS = new WatchTarget(Trigger.BROKERS, "");

  /** Children of /brokers/topics, and whether it exists. */
  public static final WatchTarget TOPICS = new WatchTarget(Trigger.TOPICS, "");

  /** Data of a topic's znode, and whether it exists. */
  public static WatchTarget topic(String name) {
    return new WatchTarget(Trigger.TOPIC, name);
  }

  public boolean isTopic() {
    return trigger == Trigger.TOPIC;
  }
}
