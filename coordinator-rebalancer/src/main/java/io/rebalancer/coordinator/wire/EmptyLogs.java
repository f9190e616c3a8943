package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/** ListOffsets and Fetch: every partition is an empty log. */
public final class EmptyLogs {

  private EmptyLogs() {}

  public static ListOffsetsResponseData listOffsets(
      ListOffsetsRequestData request, TopicCatalog catalog) {
    ListOffsetsResponseData answer = new ListOffsetsResponseData();
    for (var topic : request.topics()) {
      ListOffsetsTopicResponse part = new ListOffsetsTopicResponse().setName(topic.name());
      for (var asked : topic.partitions()) {
        part.partitions()
            .add(listOffsets(topic.name(), asked.partitionIndex(), asked.timestamp(), catalog));
      }
      answer.topics().add(part);
    }
    return answer;
  }

  private static ListOffsetsPartitionResponse listOffsets(
      String topic, int partition, long timestamp, TopicCatalog catalog) {
    ListOffsetsPartitionResponse answer =
        new ListOffsetsPartitionResponse().setPartitionIndex(partition).setTimestamp(-1);
    if (!catalog.contains(topic, partition)) {
      return answer.setOffset(-1).setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }
    boolean end =
        timestamp == ListOffsetsRequest.LATEST_TIMESTAMP
            || timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP
            || timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP;
    return end ? answer.setOffset(0).setLeaderEpoch(0) : answer.setOffset(-1);
  }

  /** An answer, and how long it is to be held back. */
  public record Held(FetchResponseData answer, int waitMs) {}

  /**
   * Nothing new, after the time the client wants to wait for something new; errors at once. Fetch
   * sessions (KIP-227) are not kept: id 0 makes clients send whole requests.
   */
  public static Held fetch(short version, FetchRequestData request, TopicCatalog catalog) {
    FetchResponseData answer = new FetchResponseData();
    if (request.sessionId() != FetchMetadata.INVALID_SESSION_ID) {
      return new Held(answer.setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code()), 0);
    }
    boolean failed = false;
    for (var topic : request.topics()) {
      boolean byId = version >= 13;
      String name =
          byId
              ? ClusterAnswers.byId(catalog, topic.topicId()).map(TopicInfo::name).orElse("")
              : topic.topic();
      FetchableTopicResponse part =
          new FetchableTopicResponse().setTopic(topic.topic()).setTopicId(topic.topicId());
      for (var asked : topic.partitions()) {
        PartitionData data =
            new PartitionData()
                .setPartitionIndex(asked.partition())
                .setRecords(MemoryRecords.EMPTY);
        if (catalog.contains(name, asked.partition())) {
          // The log ends wherever the client stands: a stored position is never out of range.
          data.setHighWatermark(asked.fetchOffset())
              .setLastStableOffset(asked.fetchOffset())
              .setLogStartOffset(0);
        } else {
          failed = true;
          data.setHighWatermark(-1)
              .setErrorCode(
                  byId && name.isEmpty()
                      ? Errors.UNKNOWN_TOPIC_ID.code()
                      : Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
        part.partitions().add(data);
      }
      answer.responses().add(part);
    }
    boolean atOnce = failed || request.minBytes() <= 0 || request.topics().isEmpty();
    return new Held(answer, atOnce ? 0 : Math.max(0, request.maxWaitMs()));
  }
}
