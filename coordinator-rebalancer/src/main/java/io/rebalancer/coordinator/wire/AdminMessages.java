package io.rebalancer.coordinator.wire;

import static io.rebalancer.coordinator.group.GroupError.GROUP_ID_NOT_FOUND;
import static io.rebalancer.coordinator.group.GroupError.INVALID_GROUP_ID;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_TOPIC_OR_PARTITION;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent.OffsetDeleteRequested;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.Described;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.core.model.TopicPartition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;

/** What administrators ask of groups: ListGroups, DescribeGroups, DeleteGroups, OffsetDelete. */
public final class AdminMessages {

  /** Every group here is one (KIP-848 names the types). */
  private static final String TYPE = "classic";

  private static final short ABSENCE_IS_AN_ERROR = 6;

  private AdminMessages() {}

  /** Filters by state (v4) and type (v5) as Kafka does: without regard to case, none means all. */
  public static ListGroupsResponseData list(
      ListGroupsRequestData request, List<GroupState> groups) {
    Set<String> states = lowered(request.statesFilter());
    Set<String> types = lowered(request.typesFilter());
    ListGroupsResponseData answer = new ListGroupsResponseData();
    if (!types.isEmpty() && !types.contains(lowered(TYPE))) {
      return answer;
    }
    for (GroupState group : groups) {
      String state = group.phase().toString();
      if (states.isEmpty() || states.contains(lowered(state))) {
        answer
            .groups()
            .add(
                new ListedGroup()
                    .setGroupId(group.id().value())
                    .setProtocolType(group.hard().protocolType())
                    .setGroupState(state)
                    .setGroupType(TYPE));
      }
    }
    return answer;
  }

  private static Set<String> lowered(List<String> texts) {
    return texts.stream().map(AdminMessages::lowered).collect(Collectors.toSet());
  }

  private static String lowered(String text) {
    return text.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * What members of a classic group offer is shown when it is Stable, and what they have was given
   * to them last (Kafka: {@code ClassicGroup.describe}). In a server-assigned group each member has
   * its part at any time, and the protocol is the assignor. What remains of a delayed rebalance is
   * behind the protocol, where every tool shows it.
   */
  public static DescribedGroup described(Described found) {
    GroupState group = found.state();
    boolean served = group.hard().shares() != null;
    boolean stable = served || group.phase() == GroupPhase.STABLE;
    String protocol = stable ? group.hard().protocol() : "";
    DescribedGroup answer =
        new DescribedGroup()
            .setGroupId(group.id().value())
            .setGroupState(group.phase().toString())
            .setProtocolType(group.hard().protocolType())
            .setProtocolData(
                found.delayMs() == 0
                    ? protocol
                    : (protocol + " (delay " + found.delayMs() + " ms)").strip());
    for (Member member : group.hard().members().values()) {
      DescribedGroupMember each =
          new DescribedGroupMember()
              .setMemberId(member.id().value())
              .setGroupInstanceId(member.isStatic() ? member.instanceId() : null)
              .setClientId(member.client().clientId())
              .setClientHost(member.client().host())
              .setMemberAssignment(member.assignment().toBytes());
      if (stable) {
        String spoken = served ? member.protocols().get(0).name() : protocol;
        each.setMemberMetadata(member.metadata(spoken).toBytes());
      }
      answer.members().add(each);
    }
    return answer;
  }

  /** A group that nobody knows is Dead; from v6 on that is an error, too (KIP-1043). */
  public static DescribedGroup absent(short version, String group) {
    DescribedGroup answer =
        new DescribedGroup().setGroupId(group).setGroupState(GroupPhase.DEAD.toString());
    return version < ABSENCE_IS_AN_ERROR
        ? answer
        : answer
            .setErrorCode(GROUP_ID_NOT_FOUND.code())
            .setErrorMessage("Group " + group + " not found.");
  }

  public static DescribedGroup undescribed(String group, GroupError error) {
    return new DescribedGroup().setGroupId(group).setErrorCode(error.code());
  }

  /** There are no groups of the protocol of KIP-848; clients then ask by DescribeGroups. */
  public static ConsumerGroupDescribeResponseData consumerGroups(
      ConsumerGroupDescribeRequestData request) {
    ConsumerGroupDescribeResponseData answer = new ConsumerGroupDescribeResponseData();
    for (String group : request.groupIds()) {
      var each = new ConsumerGroupDescribeResponseData.DescribedGroup().setGroupId(group);
      answer
          .groups()
          .add(
              group.isEmpty()
                  ? each.setErrorCode(INVALID_GROUP_ID.code())
                  : each.setErrorCode(GROUP_ID_NOT_FOUND.code())
                      .setErrorMessage("Group " + group + " is not a consumer group."));
    }
    return answer;
  }

  public static DeletableGroupResult deleted(String group, Answer answer) {
    return new DeletableGroupResult().setGroupId(group).setErrorCode(answer.error().code());
  }

  /** Partitions that do not exist are refused by themselves. */
  public static OffsetDeleteRequested offsetDelete(
      RequestId request, OffsetDeleteRequestData data, TopicCatalog catalog) {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    for (var topic : data.topics()) {
      for (var each : topic.partitions()) {
        if (catalog.contains(topic.name(), each.partitionIndex())) {
          partitions.add(new TopicPartition(topic.name(), each.partitionIndex()));
        }
      }
    }
    return new OffsetDeleteRequested(request, partitions);
  }

  public static OffsetDeleteResponseData offsetsDeleted(
      OffsetDeleteRequestData request, Answer answer, TopicCatalog catalog) {
    OffsetDeleteResponseData data =
        new OffsetDeleteResponseData().setErrorCode(answer.error().code());
    if (!(answer instanceof Answer.OffsetsDeleted deleted)) {
      return data;
    }
    for (var topic : request.topics()) {
      OffsetDeleteResponseTopic part = new OffsetDeleteResponseTopic().setName(topic.name());
      for (var each : topic.partitions()) {
        GroupError error =
            !catalog.contains(topic.name(), each.partitionIndex())
                ? UNKNOWN_TOPIC_OR_PARTITION
                : deleted.subscribed().contains(topic.name())
                    ? GroupError.GROUP_SUBSCRIBED_TO_TOPIC
                    : NONE;
        part.partitions()
            .add(
                new OffsetDeleteResponsePartition()
                    .setPartitionIndex(each.partitionIndex())
                    .setErrorCode(error.code()));
      }
      data.topics().add(part);
    }
    return data;
  }
}
