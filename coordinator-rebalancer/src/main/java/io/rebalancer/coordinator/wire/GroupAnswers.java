package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.jspecify.annotations.Nullable;

/** The state machine's answers as Kafka's messages. */
public final class GroupAnswers {

  /**
   * The tagged field of a Join's answer that has the member's part where the coordinator assigns:
   * who knows it need not Sync, and clients that do not know it pass over it.
   */
  public static final int PART_TAG = 10_000;

  /**
   * The tagged field of a Join's or a Heartbeat's answer that says how many milliseconds, as an
   * int32, the partitions of vanished members still wait for them; absent when none do. Where a
   * group leader of our own assigns, its Sync says so in it.
   */
  public static final int DELAY_TAG = 10_001;

  private static final int FIRST_FLEXIBLE_JOIN = 6;
  private static final int FIRST_FLEXIBLE_HEARTBEAT = 4;

  private GroupAnswers() {}

  public static JoinGroupResponseData join(short version, Answer answer) {
    JoinGroupResponseData data = new JoinGroupResponseData().setErrorCode(answer.error().code());
    if (!(answer instanceof Answer.Joined joined)) {
      return data.setGenerationId(-1).setProtocolName(nameOrNull("", version));
    }
    List<JoinGroupResponseMember> members = new ArrayList<>();
    for (Answer.JoinedMember member : joined.members()) {
      members.add(
          new JoinGroupResponseMember()
              .setMemberId(member.id().value())
              .setGroupInstanceId(member.instanceId().isEmpty() ? null : member.instanceId())
              .setMetadata(member.metadata().toBytes()));
    }
    if (joined.part().size() > 0 && version >= FIRST_FLEXIBLE_JOIN) {
      data.unknownTaggedFields().add(new RawTaggedField(PART_TAG, joined.part().toBytes()));
    }
    delay(data, version, FIRST_FLEXIBLE_JOIN, joined.delayMs());
    return data.setGenerationId(joined.generation())
        .setProtocolType(joined.protocolType().isEmpty() ? null : joined.protocolType())
        .setProtocolName(nameOrNull(joined.protocol(), version))
        .setLeader(joined.leader())
        .setMemberId(joined.memberId())
        .setSkipAssignment(joined.skipAssignment())
        .setMembers(members);
  }

  /** Before v7 the protocol name cannot be null. */
  private static @Nullable String nameOrNull(String name, short version) {
    return name.isEmpty() && version >= 7 ? null : name;
  }

  public static SyncGroupResponseData sync(Answer answer) {
    SyncGroupResponseData data = new SyncGroupResponseData().setErrorCode(answer.error().code());
    if (answer instanceof Answer.Synced synced && synced.error() == GroupError.NONE) {
      data.setProtocolType(synced.protocolType())
          .setProtocolName(synced.protocol())
          .setAssignment(synced.assignment().toBytes());
    }
    return data;
  }

  public static HeartbeatResponseData heartbeat(short version, Answer answer) {
    HeartbeatResponseData data = new HeartbeatResponseData().setErrorCode(answer.error().code());
    if (answer instanceof Answer.Plain plain) {
      delay(data, version, FIRST_FLEXIBLE_HEARTBEAT, plain.delayMs());
    }
    return data;
  }

  private static void delay(Message data, short version, int firstFlexible, int delayMs) {
    if (delayMs > 0 && version >= firstFlexible) {
      byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(delayMs).array();
      data.unknownTaggedFields().add(new RawTaggedField(DELAY_TAG, bytes));
    }
  }

  /** Before v3 one member leaves per request, and its error is the request's. */
  public static LeaveGroupResponseData leave(short version, Answer answer) {
    LeaveGroupResponseData data = new LeaveGroupResponseData();
    GroupError error = answer.error();
    if (answer instanceof Answer.Left left) {
      if (version < 3) {
        error =
            error != GroupError.NONE || left.results().isEmpty()
                ? error
                : left.results().get(0).error();
      } else {
        List<MemberResponse> members = new ArrayList<>();
        for (Answer.Left.Result result : left.results()) {
          members.add(
              new MemberResponse()
                  .setMemberId(result.identity().memberId())
                  .setGroupInstanceId(
                      result.identity().instanceId().isEmpty()
                          ? null
                          : result.identity().instanceId())
                  .setErrorCode(result.error().code()));
        }
        data.setMembers(members);
      }
    }
    return data.setErrorCode(error.code());
  }
}
