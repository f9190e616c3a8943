package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member's effects as Kafka's requests, and the answers as its events. */
final class GroupMessages {

  private static final Logger LOG = LoggerFactory.getLogger(GroupMessages.class);

  private final GroupId group;
  private final CoordinatorClientConfig config;
  private final byte[] subscription;

  GroupMessages(GroupId group, CoordinatorClientConfig config, Subscription subscription) {
    this.group = group;
    this.config = config;
    this.subscription = EmbeddedProtocol.encode(subscription);
  }

  JoinGroupRequestData join(@Nullable MemberId member) {
    JoinGroupRequestData request =
        new JoinGroupRequestData()
            .setGroupId(group.value())
            .setMemberId(member == null ? "" : member.value())
            .setSessionTimeoutMs((int) config.sessionTimeout().toMillis())
            .setRebalanceTimeoutMs((int) config.rebalanceTimeout().toMillis())
            .setProtocolType(EmbeddedProtocol.TYPE);
    request
        .protocols()
        .add(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName(config.assignmentStrategy())
                .setMetadata(subscription));
    return request;
  }

  /** A member whose subscription cannot be read gets nothing, and the others go on. */
  static MemberEvent.Joined joined(int attempt, JoinGroupResponseData answer) {
    Errors error = Errors.forCode(answer.errorCode());
    MemberId member = answer.memberId().isEmpty() ? null : new MemberId(answer.memberId());
    boolean assigns =
        error == Errors.NONE
            && !answer.skipAssignment()
            && answer.leader().equals(answer.memberId());
    return new MemberEvent.Joined(
        attempt, error, answer.generationId(), member, assigns ? subscriptions(answer) : null);
  }

  private static SortedMap<MemberId, Subscription> subscriptions(JoinGroupResponseData answer) {
    SortedMap<MemberId, Subscription> members = new TreeMap<>();
    answer
        .members()
        .forEach(
            member ->
                members.put(
                    new MemberId(member.memberId()),
                    subscription(member.memberId(), member.metadata())));
    return members;
  }

  private static Subscription subscription(String member, byte[] metadata) {
    try {
      return EmbeddedProtocol.decodeSubscription(metadata);
    } catch (RuntimeException e) {
      LOG.warn(
          "member {} gets no partitions, its subscription is unreadable: {}", member, e.toString());
      return Subscription.copyOf(Map.of());
    }
  }

  static MetadataRequestData topics(SortedSet<String> names) {
    return new MetadataRequestData()
        .setTopics(
            names.stream()
                .map(name -> new MetadataRequestData.MetadataRequestTopic().setName(name))
                .toList())
        .setAllowAutoTopicCreation(false);
  }

  /** A topic that does not exist comes without partitions. */
  static MemberEvent.TopicsKnown topicsKnown(int attempt, MetadataResponseData answer) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    answer
        .topics()
        .forEach(
            topic ->
                topics.put(
                    topic.name(),
                    PartitionSet.copyOf(
                        topic.partitions().stream()
                            .map(MetadataResponseData.MetadataResponsePartition::partitionIndex)
                            .toList())));
    return new MemberEvent.TopicsKnown(attempt, topics);
  }

  SyncGroupRequestData sync(int generation, MemberId member, Map<MemberId, Assignment> shares) {
    return new SyncGroupRequestData()
        .setGroupId(group.value())
        .setGenerationId(generation)
        .setMemberId(member.value())
        .setProtocolType(EmbeddedProtocol.TYPE)
        .setProtocolName(config.assignmentStrategy())
        .setAssignments(
            shares.entrySet().stream()
                .map(
                    share ->
                        new SyncGroupRequestData.SyncGroupRequestAssignment()
                            .setMemberId(share.getKey().value())
                            .setAssignment(EmbeddedProtocol.encode(share.getValue())))
                .toList());
  }

  /** An assignment that cannot be read fails the round. */
  static MemberEvent.Synced synced(
      int attempt, SyncGroupResponseData answer, long sentAt, boolean late) {
    Errors error = Errors.forCode(answer.errorCode());
    if (error != Errors.NONE) {
      return new MemberEvent.Synced(attempt, error, Assignment.empty(), sentAt, late);
    }
    try {
      Assignment assignment = EmbeddedProtocol.decodeAssignment(answer.assignment());
      return new MemberEvent.Synced(attempt, error, assignment, sentAt, late);
    } catch (RuntimeException e) {
      LOG.warn("the group leader's assignment is unreadable: {}", e.toString());
      return new MemberEvent.Synced(
          attempt, Errors.CORRUPT_MESSAGE, Assignment.empty(), sentAt, late);
    }
  }

  HeartbeatRequestData heartbeat(int generation, MemberId member) {
    return new HeartbeatRequestData()
        .setGroupId(group.value())
        .setGenerationId(generation)
        .setMemberId(member.value());
  }

  LeaveGroupRequestData leave(MemberId member) {
    return new LeaveGroupRequestData()
        .setGroupId(group.value())
        .setMembers(
            List.of(
                new LeaveGroupRequestData.MemberIdentity()
                    .setMemberId(member.value())
                    .setReason("the member was closed")));
  }
}
