package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.GroupEvent.Identity;
import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.GroupEvent.LeaveRequested;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Protocol;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.core.model.MemberId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.jspecify.annotations.Nullable;

/** Kafka's group requests as events of the state machine. */
public final class GroupRequests {

  private static final String NO_GROUPS_NAME = "\0";

  private GroupRequests() {}

  public static JoinRequested join(
      RequestId request,
      short version,
      ClientInfo client,
      MemberId freshId,
      JoinGroupRequestData data) {
    List<Protocol> protocols = new ArrayList<>();
    Set<String> topics = new TreeSet<>();
    Kept kept = Kept.NOTHING;
    for (var protocol : data.protocols()) {
      protocols.add(new Protocol(protocol.name(), Opaque.copyOf(protocol.metadata())));
      if (data.protocolType().equals(ConsumerBytes.PROTOCOL_TYPE)) {
        topics.addAll(ConsumerBytes.topics(protocol.metadata()));
        kept = kept.plus(ConsumerBytes.kept(protocol.metadata()));
      }
    }
    // Join v0 knows one timeout for both purposes (KIP-62), and -1 is what is said without one.
    boolean isSaid = version >= 1 && data.rebalanceTimeoutMs() != -1;
    int rebalanceTimeoutMs = isSaid ? data.rebalanceTimeoutMs() : data.sessionTimeoutMs();
    return new JoinRequested(
        request,
        data.memberId(),
        freshId,
        version >= 4,
        version >= 9,
        text(data.groupInstanceId()),
        client,
        data.sessionTimeoutMs(),
        rebalanceTimeoutMs,
        data.protocolType(),
        protocols,
        topics,
        kept,
        text(data.reason()));
  }

  /** What a new member's id begins with, as Kafka's does: its instance id, or its client id. */
  public static String namesake(ClientInfo client, JoinGroupRequestData data) {
    return data.groupInstanceId() == null ? client.clientId() : data.groupInstanceId();
  }

  public static SyncRequested sync(RequestId request, SyncGroupRequestData data) {
    Map<MemberId, Opaque> assignments = new LinkedHashMap<>();
    for (var part : data.assignments()) {
      if (!part.memberId().isEmpty()) {
        assignments.put(new MemberId(part.memberId()), Opaque.copyOf(part.assignment()));
      }
    }
    return new SyncRequested(
        request,
        data.memberId(),
        text(data.groupInstanceId()),
        data.generationId(),
        said(data.protocolType()),
        said(data.protocolName()),
        assignments,
        delayMs(data.unknownTaggedFields()));
  }

  private static int delayMs(List<RawTaggedField> fields) {
    for (RawTaggedField field : fields) {
      if (field.tag() == GroupAnswers.DELAY_TAG && field.size() == Integer.BYTES) {
        return Math.max(0, ByteBuffer.wrap(field.data()).getInt());
      }
    }
    return 0;
  }

  /** From v5 on a Sync must say both, as KafkaApis of 4.4.0 demands before it asks the group. */
  public static boolean saysItsProtocol(short version, SyncGroupRequestData data) {
    return version < 5 || (data.protocolType() != null && data.protocolName() != null);
  }

  /** A name that is said and empty is the name of no group's, unlike one that is not said. */
  private static String said(@Nullable String name) {
    return name != null && name.isEmpty() ? NO_GROUPS_NAME : text(name);
  }

  public static HeartbeatRequested heartbeat(RequestId request, HeartbeatRequestData data) {
    return new HeartbeatRequested(
        request, data.memberId(), text(data.groupInstanceId()), data.generationId());
  }

  public static LeaveRequested leave(RequestId request, short version, LeaveGroupRequestData data) {
    List<Identity> members = new ArrayList<>();
    if (version < 3) {
      members.add(new Identity(data.memberId(), "", ""));
    } else {
      data.members()
          .forEach(
              m ->
                  members.add(
                      new Identity(m.memberId(), text(m.groupInstanceId()), text(m.reason()))));
    }
    return new LeaveRequested(request, members);
  }

  static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
