package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent.CommitRequested;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** From this version on topics have ids instead of names (KIP-848), in both requests. */
  private static final short BY_TOPIC_ID = 10;

  private OffsetMessages() {}

  /**
   * A commit taken apart.
   *
   * @param accepted what may be stored
   * @param refused for each topic and each of its partitions, as the request lists them, what is
   *     wrong with it by itself; NONE for what was accepted
   */
  public record Commit(
      Map<TopicPartition, CommittedOffset> accepted, List<List<GroupError>> refused) {}

  public static Commit read(
      short version,
      OffsetCommitRequestData data,
      TopicCatalog catalog,
      int maxMetadataBytes,
      long nowMs) {
    Map<TopicPartition, CommittedOffset> accepted = new LinkedHashMap<>();
    List<List<GroupError>> refused = new ArrayList<>();
    for (var topic : data.topics()) {
      boolean known = true;
      String name = topic.name();
      if (version >= BY_TOPIC_ID) {
        Optional<TopicInfo> found = ClusterAnswers.byId(catalog, topic.topicId());
        known = found.isPresent();
        name = found.map(TopicInfo::name).orElse("");
      }
      List<GroupError> errors = new ArrayList<>();
      for (var part : topic.partitions()) {
        String metadata = GroupRequests.text(part.committedMetadata());
        if (!known) {
          errors.add(GroupError.UNKNOWN_TOPIC_ID);
        } else if (!catalog.contains(name, part.partitionIndex())) {
          errors.add(GroupError.UNKNOWN_TOPIC_OR_PARTITION);
        } else if (metadata.length() > maxMetadataBytes) {
          // In characters, as OffsetMetadataManager of Kafka 4.4.0 counts them.
          errors.add(GroupError.OFFSET_METADATA_TOO_LARGE);
        } else {
          errors.add(GroupError.NONE);
          accepted.put(
              new TopicPartition(name, part.partitionIndex()),
              new CommittedOffset(
                  part.committedOffset(),
                  part.committedLeaderEpoch(),
                  metadata,
                  nowMs,
                  expireTimestampMs(data.retentionTimeMs(), nowMs)));
        }
      }
      refused.add(errors);
    }
    return new Commit(accepted, refused);
  }

  /** Only versions 2 to 4 can say for how long. */
  private static long expireTimestampMs(long retentionMs, long nowMs) {
    return retentionMs < 0 ? -1 : nowMs + Math.min(retentionMs, Long.MAX_VALUE - nowMs);
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

  /**
   * A topic that is not there is refused whatever the group says, too much metadata only where the
   * commit is legal: in Kafka the broker sees to the one, the coordinator to the other.
   */
  public static OffsetCommitResponseData commit(
      short version, OffsetCommitRequestData request, Commit commit, Answer answer) {
    // Before v9 clients do not know GROUP_ID_NOT_FOUND here.
    GroupError error =
        answer.error() == GroupError.GROUP_ID_NOT_FOUND && version < 9
            ? GroupError.ILLEGAL_GENERATION
            : answer.error();
    OffsetCommitResponseData data = new OffsetCommitResponseData();
    Iterator<List<GroupError>> topicErrors = commit.refused().iterator();
    for (var topic : request.topics()) {
      OffsetCommitResponseTopic part =
          new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
      Iterator<GroupError> errors = topicErrors.next().iterator();
      for (var asked : topic.partitions()) {
        GroupError own = errors.next();
        boolean absent =
            own == GroupError.UNKNOWN_TOPIC_ID || own == GroupError.UNKNOWN_TOPIC_OR_PARTITION;
        part.partitions()
            .add(
                new OffsetCommitResponsePartition()
                    .setPartitionIndex(asked.partitionIndex())
                    .setErrorCode((absent || error == GroupError.NONE ? own : error).code()));
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
      short version,
      OffsetFetchRequestGroup asked,
      Map<TopicPartition, CommittedOffset> stored,
      TopicCatalog catalog) {
    boolean byId = version >= BY_TOPIC_ID;
    List<OffsetFetchResponseTopics> topics =
        asked.topics() == null ? all(stored) : some(asked.topics(), stored, byId, catalog);
    if (byId && asked.topics() == null) {
      // A topic that is gone has no id by which it could be named.
      topics.removeIf(topic -> catalog.named(topic.name()).isEmpty());
      topics.forEach(
          topic ->
              catalog
                  .named(topic.name())
                  .ifPresent(info -> topic.setTopicId(ClusterAnswers.kafkaId(info.id()))));
    }
    return new OffsetFetchResponseGroup().setGroupId(asked.groupId()).setTopics(topics);
  }

  private static List<OffsetFetchResponseTopics> all(Map<TopicPartition, CommittedOffset> stored) {
    Map<String, OffsetFetchResponseTopics> topics = new LinkedHashMap<>();
    stored.forEach(
        (partition, offset) ->
            topics
                .computeIfAbsent(
                    partition.topic(), name -> new OffsetFetchResponseTopics().setName(name))
                .partitions()
                .add(position(partition.partition(), offset)));
    return new ArrayList<>(topics.values());
  }

  private static List<OffsetFetchResponseTopics> some(
      List<OffsetFetchRequestTopics> asked,
      Map<TopicPartition, CommittedOffset> stored,
      boolean byId,
      TopicCatalog catalog) {
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    for (OffsetFetchRequestTopics topic : asked) {
      OffsetFetchResponseTopics part =
          new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
      Optional<String> name =
          byId
              ? ClusterAnswers.byId(catalog, topic.topicId()).map(TopicInfo::name)
              : Optional.of(topic.name());
      for (int partition : topic.partitionIndexes()) {
        CommittedOffset offset =
            partition < 0 || name.isEmpty() || name.get().isEmpty()
                ? null
                : stored.get(new TopicPartition(name.get(), partition));
        part.partitions()
            .add(
                offset != null
                    ? position(partition, offset)
                    : none(partition)
                        .setErrorCode(
                            (name.isEmpty() ? GroupError.UNKNOWN_TOPIC_ID : GroupError.NONE)
                                .code()));
      }
      topics.add(part);
    }
    return topics;
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
