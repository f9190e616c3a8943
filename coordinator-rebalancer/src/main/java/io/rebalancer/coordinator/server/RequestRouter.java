package io.rebalancer.coordinator.server;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.GroupRuntime;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.coordinator.wire.AdminMessages;
import io.rebalancer.coordinator.wire.ClusterAnswers;
import io.rebalancer.coordinator.wire.EmptyLogs;
import io.rebalancer.coordinator.wire.GroupAnswers;
import io.rebalancer.coordinator.wire.GroupRequests;
import io.rebalancer.coordinator.wire.OffsetMessages;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiMessage;

/** Who answers which request: this class from its caches, or the group's event loop. */
public final class RequestRouter {

  private final ClusterAnswers cluster;
  private final TopicSource topics;
  private final GroupRuntime groups;
  private final Function<String, MemberId> freshId;
  private final int maxMetadataBytes;
  private final Clock clock;
  private final RequestMeter meter;
  private final AdminRequests admin;

  /**
   * @param freshId makes a member id from a client id
   * @param maxMetadataBytes {@code offset.metadata.max.bytes}
   * @param clock stamps commits
   */
  public RequestRouter(
      ClusterAnswers cluster,
      TopicSource topics,
      GroupRuntime groups,
      Function<String, MemberId> freshId,
      int maxMetadataBytes,
      Clock clock,
      RequestMeter meter) {
    this.cluster = cluster;
    this.topics = topics;
    this.groups = groups;
    this.freshId = freshId;
    this.maxMetadataBytes = maxMetadataBytes;
    this.clock = clock;
    this.meter = meter;
    this.admin = new AdminRequests(groups, topics);
  }

  /** {@code context} holds a request of a key and version that are offered. */
  void route(RequestContext context) {
    Runnable answered = meter.begin(context.request().key());
    dispatch(context.beforeAnswer(answered));
  }

  private void dispatch(RequestContext context) {
    ApiMessage body = context.request().body();
    switch (context.request().key()) {
      case METADATA ->
          context
              .answer()
              .accept(
                  cluster.metadata(
                      context.version(), (MetadataRequestData) body, topics.current()));
      case FIND_COORDINATOR ->
          context
              .answer()
              .accept(
                  cluster.findCoordinator(
                      context.version(),
                      (FindCoordinatorRequestData) body,
                      groups.isCoordinating()));
      case DESCRIBE_CLUSTER ->
          context.answer().accept(cluster.describeCluster((DescribeClusterRequestData) body));
      case DESCRIBE_TOPIC_PARTITIONS ->
          context
              .answer()
              .accept(
                  cluster.describeTopics(
                      (DescribeTopicPartitionsRequestData) body, topics.current()));
      case LIST_GROUPS -> admin.list(context, (ListGroupsRequestData) body);
      case DESCRIBE_GROUPS -> admin.describe(context, (DescribeGroupsRequestData) body);
      case CONSUMER_GROUP_DESCRIBE ->
          context
              .answer()
              .accept(AdminMessages.consumerGroups((ConsumerGroupDescribeRequestData) body));
      case DELETE_GROUPS -> admin.delete(context, (DeleteGroupsRequestData) body);
      case OFFSET_DELETE -> admin.deleteOffsets(context, (OffsetDeleteRequestData) body);
      case LIST_OFFSETS ->
          context
              .answer()
              .accept(
                  EmptyLogs.listOffsets(
                      context.version(),
                      (ListOffsetsRequestData) body,
                      topics.current(),
                      groups::logEnd));
      case FETCH -> fetch(context, (FetchRequestData) body);
      case JOIN_GROUP -> join(context, (JoinGroupRequestData) body);
      case SYNC_GROUP -> sync(context, (SyncGroupRequestData) body);
      case HEARTBEAT -> heartbeat(context, (HeartbeatRequestData) body);
      case LEAVE_GROUP -> leave(context, (LeaveGroupRequestData) body);
      case OFFSET_COMMIT -> commit(context, (OffsetCommitRequestData) body);
      case OFFSET_FETCH -> offsets(context, (OffsetFetchRequestData) body);
      default ->
          throw new IllegalStateException(
              "expected an offered request, found " + context.request().key());
    }
  }

  private void fetch(RequestContext context, FetchRequestData data) {
    EmptyLogs.Held held = EmptyLogs.fetch(context.version(), data, topics.current());
    if (held.waitMs() == 0) {
      context.answer().accept(held.answer());
    } else {
      context
          .later()
          .run(Duration.ofMillis(held.waitMs()), () -> context.answer().accept(held.answer()));
    }
  }

  private void join(RequestContext context, JoinGroupRequestData data) {
    RequestLog.joins(context, data);
    ask(
        data.groupId(),
        RequestKind.JOIN,
        request ->
            GroupRequests.join(
                request,
                context.version(),
                context.client(),
                freshId.apply(GroupRequests.namesake(context.client(), data)),
                data),
        answer -> {
          RequestLog.answered(context, data, answer);
          context.answer().accept(GroupAnswers.join(context.version(), answer));
        });
  }

  private void sync(RequestContext context, SyncGroupRequestData data) {
    if (!GroupRequests.saysItsProtocol(context.version(), data)) {
      Answer refused = new Answer.Plain(GroupError.INCONSISTENT_GROUP_PROTOCOL);
      context.answer().accept(GroupAnswers.sync(refused));
      return;
    }
    ask(
        data.groupId(),
        RequestKind.SYNC,
        request -> GroupRequests.sync(request, data),
        answer -> context.answer().accept(GroupAnswers.sync(answer)));
  }

  private void heartbeat(RequestContext context, HeartbeatRequestData data) {
    ask(
        data.groupId(),
        RequestKind.HEARTBEAT,
        request -> GroupRequests.heartbeat(request, data),
        answer -> context.answer().accept(GroupAnswers.heartbeat(context.version(), answer)));
  }

  private void leave(RequestContext context, LeaveGroupRequestData data) {
    RequestLog.leaves(data);
    ask(
        data.groupId(),
        RequestKind.LEAVE,
        request -> GroupRequests.leave(request, context.version(), data),
        answer -> context.answer().accept(GroupAnswers.leave(context.version(), answer)));
  }

  private void commit(RequestContext context, OffsetCommitRequestData data) {
    OffsetMessages.Commit commit =
        OffsetMessages.read(
            context.version(), data, topics.current(), maxMetadataBytes, clock.millis());
    ask(
        data.groupId(),
        RequestKind.COMMIT,
        request -> OffsetMessages.event(request, data, commit),
        answer ->
            context
                .answer()
                .accept(OffsetMessages.commit(context.version(), data, commit, answer)));
  }

  private void ask(
      String groupId,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    Optional<GroupId> group = GroupIds.legal(groupId);
    if (group.isPresent()) {
      groups.request(group.get(), kind, event, answer);
    } else {
      answer.accept(new Answer.Plain(GroupError.INVALID_GROUP_ID));
    }
  }

  private void offsets(RequestContext context, OffsetFetchRequestData data) {
    List<OffsetFetchRequestGroup> asked = OffsetMessages.groups(context.version(), data);
    if (asked.isEmpty()) {
      context.answer().accept(OffsetMessages.fetch(context.version(), data, List.of()));
      return;
    }
    Gathered<OffsetFetchResponseGroup> gathered =
        new Gathered<>(
            asked.size(),
            all -> context.answer().accept(OffsetMessages.fetch(context.version(), data, all)));
    IntStream.range(0, asked.size())
        .forEach(
            place ->
                offsets(
                    context.version(), asked.get(place), answer -> gathered.put(place, answer)));
  }

  private void offsets(
      short version, OffsetFetchRequestGroup asked, Consumer<OffsetFetchResponseGroup> answer) {
    Optional<GroupId> group = GroupIds.legal(asked.groupId());
    if (group.isEmpty()) {
      answer.accept(OffsetMessages.failed(asked.groupId(), GroupError.INVALID_GROUP_ID));
      return;
    }
    groups.fetchOffsets(
        group.get(),
        error -> answer.accept(OffsetMessages.failed(asked.groupId(), error)),
        stored -> answer.accept(OffsetMessages.found(version, asked, stored, topics.current())));
  }
}
