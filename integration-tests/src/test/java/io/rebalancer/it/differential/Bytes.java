package io.rebalancer.it.differential;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;

/** The members' bytes, and what the answers call them. */
final class Bytes {

  static final byte[] SUBSCRIPTION =
      Utils.toArray(
          ConsumerProtocol.serializeSubscription(new Subscription(List.of(Target.TOPIC))));
  static final byte[] OTHER_SUBSCRIPTION =
      Utils.toArray(
          ConsumerProtocol.serializeSubscription(new Subscription(List.of(Target.TOPIC, "u"))));
  static final byte[] SHARE =
      Utils.toArray(
          ConsumerProtocol.serializeAssignment(
              new Assignment(List.of(new TopicPartition(Target.TOPIC, 0)))));
  static final byte[] GARBAGE = {1};

  private static final Map<String, String> NAMES =
      Map.of(
          text(SUBSCRIPTION), "<subscription>",
          text(OTHER_SUBSCRIPTION), "<other subscription>",
          text(SHARE), "<share>",
          text(GARBAGE), "<garbage>");

  private Bytes() {}

  private static String text(byte[] bytes) {
    String all = Arrays.toString(bytes);
    return all.substring(1, all.length() - 1);
  }

  /** {@code text}: as {@link Arrays#toString} writes it, without the brackets. */
  static String name(String text) {
    return NAMES.getOrDefault(text, "[" + text + "]");
  }
}
