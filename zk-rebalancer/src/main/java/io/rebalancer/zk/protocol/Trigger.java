package io.rebalancer.zk.protocol;

import java.util.Locale;

/** Why a rebalance attempt runs. */
public enum Trigger {
  /** The member has just registered. */
  JOIN,
  /** The children of the group's ids changed. */
  MEMBERS,
  /** The children of /brokers/ids changed. */
  BROKERS,
  /** The data of a subscribed topic changed, or the topic was created. */
  TOPIC,
  /** The topics that its wildcard matches have changed. */
  TOPICS,
  /** The attempt before this one failed. */
  RETRY,
  /** There was no connection, and the ZooKeeper session may have ended. */
  LOST,
  /** The ZooKeeper session expired and a new one was opened. */
  SESSION;

  /** The word observations use. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
