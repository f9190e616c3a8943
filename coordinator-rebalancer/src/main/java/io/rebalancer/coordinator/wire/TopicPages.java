package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * DescribeTopicPartitions: topics by name, so many partitions at a time, and where to go on (Kafka
 * 4.4.0: {@code DescribeTopicPartitionsRequestHandler}).
 */
public final class TopicPages {

  /** {@code max.request.partition.size.limit}, Kafka's default. */
  private static final int MAX_PARTITIONS = 2_000;

  private TopicPages() {}

  /** {@code nodeId} leads every partition. */
  public static DescribeTopicPartitionsResponseData page(
      DescribeTopicPartitionsRequestData request, TopicCatalog catalog, int nodeId) {
    DescribeTopicPartitionsResponseData answer = new DescribeTopicPartitionsResponseData();
    String from = "";
    int firstOfFrom = 0;
    if (request.cursor() != null) {
      from = request.cursor().topicName();
      firstOfFrom = request.cursor().partitionIndex();
      if (firstOfFrom < 0 || !request.topics().isEmpty() && !asks(request, from)) {
        request
            .topics()
            .forEach(topic -> answer.topics().add(failed(topic.name(), Errors.INVALID_REQUEST)));
        return answer;
      }
    }
    boolean all = request.topics().isEmpty();
    TreeSet<String> names = new TreeSet<>(all ? catalog.topics().keySet() : List.of());
    request.topics().stream().map(TopicRequest::name).forEach(names::add);

    int room = Math.max(1, Math.min(MAX_PARTITIONS, request.responsePartitionLimit()));
    for (String name : names.tailSet(from)) {
      if (room == 0) {
        return answer.setNextCursor(cursor(name, 0));
      }
      TopicInfo topic = catalog.topics().get(name);
      if (topic == null) {
        answer.topics().add(failed(name, unknown(name)));
        continue;
      }
      DescribeTopicPartitionsResponseTopic part =
          new DescribeTopicPartitionsResponseTopic()
              .setName(name)
              .setTopicId(ClusterAnswers.kafkaId(topic.id()))
              .setIsInternal(Topic.isInternal(name));
      answer.topics().add(part);
      int first = name.equals(from) ? firstOfFrom : 0;
      Iterator<Integer> left =
          topic.partitions().stream().filter(each -> each >= first).boxed().iterator();
      while (left.hasNext()) {
        int partition = left.next();
        if (room == 0) {
          return answer.setNextCursor(cursor(name, partition));
        }
        part.partitions().add(partition(partition, nodeId));
        room--;
      }
    }
    return answer;
  }

  private static boolean asks(DescribeTopicPartitionsRequestData request, String topic) {
    return request.topics().stream().anyMatch(each -> each.name().equals(topic));
  }

  private static Errors unknown(String name) {
    return Topic.isValid(name) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION;
  }

  private static Cursor cursor(String topic, int partition) {
    return new Cursor().setTopicName(topic).setPartitionIndex(partition);
  }

  private static DescribeTopicPartitionsResponseTopic failed(String name, Errors error) {
    return new DescribeTopicPartitionsResponseTopic().setName(name).setErrorCode(error.code());
  }

  private static DescribeTopicPartitionsResponsePartition partition(int index, int nodeId) {
    List<Integer> us = List.of(nodeId);
    return new DescribeTopicPartitionsResponsePartition()
        .setPartitionIndex(index)
        .setLeaderId(nodeId)
        .setLeaderEpoch(0)
        .setReplicaNodes(us)
        .setIsrNodes(us)
        .setEligibleLeaderReplicas(List.of())
        .setLastKnownElr(List.of());
  }
}
