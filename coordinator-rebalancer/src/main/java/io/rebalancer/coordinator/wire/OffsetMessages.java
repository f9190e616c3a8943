package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent.CommitRequested;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.core.model.TopicPartition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;

/** OffsetCommit and OffsetFetch. */
public final class OffsetMessages {

  private static final short BATCHED_FETCH = 8;

  private OffsetMessages() {}

  /** A commit taken apart: what may be stored, and what is refused by itself. */
  public record Commit(
      Map<TopicPartition, CommittedOffset> accepted, Map<TopicPartition, GroupError> refused) {}

  public static Commit read(
      OffsetCommitRequestData data, TopicCatalog catalog, int maxMetadataBytes, long nowMs) {
    Map<TopicPartition, CommittedOffset> accepted = new LinkedHashMap<>();
    Map<TopicPartition, GroupError> refused = new LinkedHashMap<>();
    for (var topic : data.topics()) {
      for (var part : topic.partitions()) {
        String metadata = GroupRequests.text(part.committedMetadata());
        if (part.partitionIndex() < 0) {
          continue; // Answered below from the request itself.
        }
        TopicPartition partition = new TopicPartition(topic.name(), part.partitionIndex());
        if (!catalog.contains(topic.name(), part.partitionIndex())) {
          refused.put(partition, GroupError.UNKNOWN_TOPIC_OR_PARTITION);
        } else if (metadata.getBytes(StandardCharsets.UTF_8).length > maxMetadataBytes) {
          refused.put(partition, GroupError.OFFSET_METADATA_TOO_LARGE);
        } else {
          accepted.put(
              partition,
              new CommittedOffset(
                  part.committedOffset(), part.committedLeaderEpoch(), metadata, nowMs));
        }
      }
    }
    return new Commit(accepted, refused);
  }

  public static CommitRequested event(
      RequestId request, OffsetCommitRequestData data, Commit commit) {
    return new CommitRequested(
        request,
        data.memberId(),
        GroupRequests.text(data.groupInstanceId()),
        data.generationIdOrMemberEpoch(),
        commit.accepted());
  }

  /** One error for all that was accepted, each its own for what was refused. */
  public static OffsetCommitResponseData commit(
      short version, OffsetCommitRequestData request, Commit commit, Answer answer) {
    // Before v9 clients do not know GROUP_ID_NOT_FOUND here.
    GroupError error =
        answer.error() == GroupError.GROUP_ID_NOT_FOUND && version < 9
            ? GroupError.ILLEGAL_GENERATION
            : answer.error();
    OffsetCommitResponseData data = new OffsetCommitResponseData();
    for (var topic : request.topics()) {
      OffsetCommitResponseTopic part = new OffsetCommitResponseTopic().setName(topic.name());
      for (var asked : topic.partitions()) {
        GroupError own =
            asked.partitionIndex() < 0
                ? GroupError.UNKNOWN_TOPIC_OR_PARTITION
                : commit
                    .refused()
                    .getOrDefault(new TopicPartition(topic.name(), asked.partitionIndex()), error);
        part.partitions()
            .add(
                new OffsetCommitResponsePartition()
                    .setPartitionIndex(asked.partitionIndex())
                    .setErrorCode(own.code()));
      }
      data.topics().add(part);
    }
    return data;
  }

  /** The groups a fetch asks for, in the batched form of v8 whatever its version. */
  public static List<OffsetFetchRequestGroup> groups(
      short version, OffsetFetchRequestData request) {
    if (version >= BATCHED_FETCH) {
      return request.groups();
    }
    OffsetFetchRequestGroup one = new OffsetFetchRequestGroup().setGroupId(request.groupId());
    if (request.topics() == null) {
      one.setTopics(null);
    } else {
      List<OffsetFetchRequestTopics> topics = new ArrayList<>();
      request
          .topics()
          .forEach(
              topic ->
                  topics.add(
                      new OffsetFetchRequestTopics()
                          .setName(topic.name())
                          .setPartitionIndexes(topic.partitionIndexes())));
      one.setTopics(topics);
    }
    return List.of(one);
  }

  /** Stored positions as one group of the answer; what was never stored is -1, and no error. */
  public static OffsetFetchResponseGroup found(
      OffsetFetchRequestGroup asked, Map<TopicPartition, CommittedOffset> stored) {
    OffsetFetchResponseGroup answer = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
    Map<String, OffsetFetchResponseTopics> topics = new LinkedHashMap<>();
    if (asked.topics() == null) {
      stored.forEach(
          (partition, offset) ->
              topics
                  .computeIfAbsent(
                      partition.topic(), name -> new OffsetFetchResponseTopics().setName(name))
                  .partitions()
                  .add(position(partition.partition(), offset)));
    } else {
      for (OffsetFetchRequestTopics topic : asked.topics()) {
        OffsetFetchResponseTopics part =
            topics.computeIfAbsent(
                topic.name(), name -> new OffsetFetchResponseTopics().setName(name));
        for (int partition : topic.partitionIndexes()) {
          CommittedOffset offset =
              partition < 0 ? null : stored.get(new TopicPartition(topic.name(), partition));
          part.partitions().add(offset == null ? none(partition) : position(partition, offset));
        }
      }
    }
    return answer.setTopics(new ArrayList<>(topics.values()));
  }

  public static OffsetFetchResponseGroup failed(String group, GroupError error) {
    return new OffsetFetchResponseGroup().setGroupId(group).setErrorCode(error.code());
  }

  private static OffsetFetchResponsePartitions position(int partition, CommittedOffset offset) {
    return new OffsetFetchResponsePartitions()
        .setPartitionIndex(partition)
        .setCommittedOffset(offset.offset())
        .setCommittedLeaderEpoch(offset.leaderEpoch())
        .setMetadata(offset.metadata());
  }

  private static OffsetFetchResponsePartitions none(int partition) {
    return new OffsetFetchResponsePartitions()
        .setPartitionIndex(partition)
        .setCommittedOffset(-1)
        .setCommittedLeaderEpoch(-1)
        .setMetadata("");
  }

  /** The whole answer, in the form of its version. */
  public static OffsetFetchResponseData fetch(
      short version, OffsetFetchRequestData request, List<OffsetFetchResponseGroup> groups) {
    OffsetFetchResponseData data = new OffsetFetchResponseData();
    if (version >= BATCHED_FETCH) {
      return data.setGroups(groups);
    }
    OffsetFetchResponseGroup only = groups.get(0);
    // v1 has no error of its own: there every partition asked for carries it.
    if (only.errorCode() != 0 && version < 2 && request.topics() != null) {
      request
          .topics()
          .forEach(
              topic -> {
                OffsetFetchResponseTopic part =
                    new OffsetFetchResponseTopic().setName(topic.name());
                topic
                    .partitionIndexes()
                    .forEach(
                        index ->
                            part.partitions()
                                .add(
                                    new OffsetFetchResponsePartition()
                                        .setPartitionIndex(index)
                                        .setCommittedOffset(-1)
                                        .setMetadata("")
                                        .setErrorCode(only.errorCode())));
                data.topics().add(part);
              });
      return data;
    }
    for (OffsetFetchResponseTopics topic : only.topics()) {
      OffsetFetchResponseTopic part = new OffsetFetchResponseTopic().setName(topic.name());
      topic
          .partitions()
          .forEach(
              each ->
                  part.partitions()
                      .add(
                          new OffsetFetchResponsePartition()
                              .setPartitionIndex(each.partitionIndex())
                              .setCommittedOffset(each.committedOffset())
                              .setCommittedLeaderEpoch(each.committedLeaderEpoch())
                              .setMetadata(each.metadata())));
      data.topics().add(part);
    }
    return version >= 2 ? data.setErrorCode(only.errorCode()) : data;
  }
}
