package io.rebalancer.coordinator.server;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.znode.BadPayloadException;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log has of members' comings and goings: the reasons they give (KIP-800), and why a Join
 * was refused, since the answer is a code.
 */
final class RequestLog {

  private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);

  private RequestLog() {}

  static void joins(RequestContext context, JoinGroupRequestData data) {
    if (isSaid(data.reason())) {
      LOG.info(
          "group {}: {} at {} joins: {}",
          data.groupId(),
          data.memberId().isEmpty() ? context.client().clientId() : data.memberId(),
          context.client().host(),
          BadPayloadException.shown(data.reason()));
    }
  }

  static void leaves(LeaveGroupRequestData data) {
    data.members().stream()
        .filter(member -> isSaid(member.reason()))
        .forEach(
            member ->
                LOG.info(
                    "group {}: {} leaves: {}",
                    data.groupId(),
                    member.memberId().isEmpty() ? member.groupInstanceId() : member.memberId(),
                    BadPayloadException.shown(member.reason())));
  }

  private static boolean isSaid(@Nullable String reason) {
    return reason != null && !reason.isEmpty();
  }

  static void answered(RequestContext context, JoinGroupRequestData data, Answer answer) {
    String why = why(data, answer.error());
    if (why != null) {
      LOG.warn(
          "group {}: JoinGroup of client {} at {} refused: {}",
          data.groupId(),
          context.client().clientId(),
          context.client().host(),
          why);
    }
  }

  private static @Nullable String why(JoinGroupRequestData data, GroupError error) {
    return switch (error) {
      case INVALID_REQUEST ->
          "rebalanceTimeoutMs "
              + data.rebalanceTimeoutMs()
              + " (expected: > 0, or -1 for the session timeout)";
      case INVALID_SESSION_TIMEOUT ->
          "sessionTimeoutMs "
              + data.sessionTimeoutMs()
              + " (expected: group.min.session.timeout.ms to group.max.session.timeout.ms)";
      case GROUP_MAX_SIZE_REACHED -> "the group is full (group.max.size)";
      case FENCED_INSTANCE_ID ->
          "another member has group.instance.id " + data.groupInstanceId() + " by now";
      case INCONSISTENT_GROUP_PROTOCOL ->
          "no protocol of type \"" + data.protocolType() + "\" that all members know";
      default -> null;
    };
  }
}
