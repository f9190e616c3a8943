package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.core.model.TopicPartition;
import java.util.function.ToLongFunction;
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

  /** A log begins at 0 and ends where {@code ends} says; nothing in it has a time. */
  public static ListOffsetsResponseData listOffsets(
      short version,
      ListOffsetsRequestData request,
      TopicCatalog catalog,
      ToLongFunction<TopicPartition> ends) {
    // Older answers have no room for it, and are not written with one.
    int leaderEpoch = version >= 4 ? 0 : -1;
    ListOffsetsResponseData answer = new ListOffsetsResponseData();
    for (var topic : request.topics()) {
      ListOffsetsTopicResponse part = new ListOffsetsTopicResponse().setName(topic.name());
      for (var asked : topic.partitions()) {
        ListOffsetsPartitionResponse each =
            new ListOffsetsPartitionResponse()
                .setPartitionIndex(asked.partitionIndex())
                .setTimestamp(-1);
        if (!catalog.contains(topic.name(), asked.partitionIndex())) {
          each.setOffset(-1).setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else if (asked.timestamp() == ListOffsetsRequest.LATEST_TIMESTAMP) {
          each.setOffset(ends.applyAsLong(new TopicPartition(topic.name(), asked.partitionIndex())))
              .setLeaderEpoch(leaderEpoch);
        } else if (asked.timestamp() == ListOffsetsRequest.EARLIEST_TIMESTAMP
            || asked.timestamp() == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
          each.setOffset(0).setLeaderEpoch(leaderEpoch);
        } else {
          each.setOffset(-1);
        }
        part.partitions().add(each);
      }
      answer.topics().add(part);
    }
    return answer;
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
