package io.rebalancer.it.differential;

import java.util.Map;

/**
 * Who is asked.
 *
 * @param topicIds of the topics that scripts may name, as Kafka writes them
 */
record Target(String name, String host, int port, int nodeId, Map<String, String> topicIds) {

  /** Exists everywhere, with two partitions. */
  static final String TOPIC = "t";

  static final int PARTITIONS = 2;
}
