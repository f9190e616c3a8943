package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Whom to ask, and about which topics. */
final class ClusterScripts {

  private static final String SHARED = "g:AAAAAAAAAAAAAAAAAAAABw:0";

  private ClusterScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    for (int version = 0; version < 4; version++) {
      find(scripts, version, "a group", one("g", 0));
      find(scripts, version, "an empty id", one("", 0));
      if (version > 0) {
        find(scripts, version, "a transaction", one("x", 1));
        find(scripts, version, "a share group", one(SHARED, 2));
        find(scripts, version, "type 9", one("g", 9));
      }
    }
    for (int version = 4; version <= 6; version++) {
      find(scripts, version, "a group", many(0, "g"));
      find(scripts, version, "three groups, one twice", many(0, "g", "h", "g"));
      find(scripts, version, "an empty id and another", many(0, "", "g"));
      find(scripts, version, "no keys", many(0));
      find(scripts, version, "a transaction", many(1, "x"));
      find(scripts, version, "a share group", many(2, SHARED));
      find(scripts, version, "type 9", many(9, "g"));
    }
    for (int version = 0; version <= 2; version++) {
      for (int type = 1; type <= (version == 0 ? 1 : 3); type++) {
        ask(
            scripts,
            ApiKeys.DESCRIBE_CLUSTER,
            version,
            "endpoints of type " + type,
            new DescribeClusterRequestData().setEndpointType((byte) type));
      }
      ask(
          scripts,
          ApiKeys.DESCRIBE_CLUSTER,
          version,
          "authorized operations too",
          new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true));
    }
    ask(
        scripts,
        ApiKeys.DESCRIBE_CLUSTER,
        2,
        "fenced brokers too",
        new DescribeClusterRequestData().setIncludeFencedBrokers(true));
    topics(scripts, "one", topics("t"));
    topics(scripts, "an unknown one and a known one", topics("unknown", "t"));
    topics(scripts, "one twice", topics("t", "t"));
    topics(scripts, "an empty name", topics(""));
    topics(scripts, "a name that is not allowed", topics("a/b"));
    topics(scripts, "one partition", topics("t").setResponsePartitionLimit(1));
    topics(scripts, "limit 0", topics("t").setResponsePartitionLimit(0));
    topics(scripts, "limit -1", topics("t").setResponsePartitionLimit(-1));
    topics(scripts, "from partition 1", from("t", 1, "t"));
    topics(scripts, "from beyond the last", from("t", 2, "t"));
    topics(scripts, "from a negative partition", from("t", -1, "t"));
    topics(scripts, "from an unknown one before it", from("s", 1, "t"));
    topics(scripts, "from an unknown one behind it", from("v", 1, "t"));
    return scripts;
  }

  private static void ask(
      List<Script> scripts, ApiKeys key, int version, String name, ApiMessage body) {
    scripts.add(
        new Script(
            key.name + " v" + version + ": " + name,
            dialog -> dialog.ask("probe", key, version, body)));
  }

  private static void find(
      List<Script> scripts, int version, String name, FindCoordinatorRequestData find) {
    ask(scripts, ApiKeys.FIND_COORDINATOR, version, name, find);
  }

  private static FindCoordinatorRequestData one(String key, int type) {
    return new FindCoordinatorRequestData().setKey(key).setKeyType((byte) type);
  }

  private static FindCoordinatorRequestData many(int type, String... keys) {
    return new FindCoordinatorRequestData()
        .setKeyType((byte) type)
        .setCoordinatorKeys(List.of(keys));
  }

  private static void topics(
      List<Script> scripts, String name, DescribeTopicPartitionsRequestData body) {
    ask(scripts, ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, name, body);
  }

  private static DescribeTopicPartitionsRequestData topics(String... names) {
    DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData();
    for (String name : names) {
      request.topics().add(new TopicRequest().setName(name));
    }
    return request;
  }

  private static DescribeTopicPartitionsRequestData from(
      String topic, int partition, String... names) {
    return topics(names).setCursor(new Cursor().setTopicName(topic).setPartitionIndex(partition));
  }
}
