package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
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
  private final Strategy strategy;
  private final @Nullable String instanceId;

  /** Null where the strategy cannot carry a delay. */
  private final @Nullable DelayedRebalance delays;

  private final ServedFields served = new ServedFields();

  /** Of members whose metadata was complained about. */
  private final Set<MemberId> complained = new HashSet<>();

  GroupMessages(MemberConfig member, CoordinatorClientConfig config, Strategy strategy) {
    this(member.group(), member.name(), config, strategy);
  }

  GroupMessages(GroupId group, String name, CoordinatorClientConfig config, Strategy strategy) {
    this.group = group;
    this.config = config;
    this.strategy = strategy;
    this.instanceId = config.groupInstanceId().orElse(null);
    this.delays =
        strategy.delays() ? new DelayedRebalance(name, config.scheduledRebalanceMaxDelay()) : null;
  }

  /**
   * @param trigger of the round, as in {@link MemberEffect.BeginAttempt}
   */
  JoinGroupRequestData join(MemberEffect.SendJoin join, String trigger, long nowNanos) {
    MemberId member = join.member();
    JoinGroupRequestData request =
        new JoinGroupRequestData()
            .setGroupId(group.value())
            .setMemberId(member == null ? "" : member.value())
            .setSessionTimeoutMs((int) config.sessionTimeout().toMillis())
            .setRebalanceTimeoutMs((int) config.rebalanceTimeout().toMillis())
            .setProtocolType(EmbeddedProtocol.TYPE)
            .setGroupInstanceId(instanceId)
            .setReason(reason(trigger));
    request
        .protocols()
        .add(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName(config.assignmentStrategy())
                .setMetadata(metadata(join.topics(), join.claim(), nowNanos)));
    return request;
  }

  private byte[] metadata(Subscription topics, Claim claim, long nowNanos) {
    byte[] delay = delays == null ? null : delays.ofSubscription(nowNanos);
    byte[] bytes =
        delay == null
            ? strategy.metadata(topics, claim)
            : EmbeddedProtocol.encode(topics.streams().keySet(), claim, delay);
    return config.clientRack().map(rack -> EmbeddedProtocol.inRack(bytes, rack)).orElse(bytes);
  }

  /** How long the group still waits for a member to come back; zero when it does not. */
  Duration remainingDelay(long nowNanos) {
    Duration told = served.remaining(nowNanos);
    Duration led = delays == null ? Duration.ZERO : delays.remaining(nowNanos);
    return told.compareTo(led) > 0 ? told : led;
  }

  /** For who reads the coordinator's log (KIP-800). */
  private static String reason(String trigger) {
    return switch (trigger) {
      case "join" -> "joins for the first time";
      case "told" -> "was told of a rebalance";
      case "topics" -> "other topics match its pattern";
      case "withheld" -> "has let go of what moves";
      case "lost" -> "has lost its membership or its lease";
      case "retry" -> "the attempt before has failed";
      case "delay" -> "has waited long enough for members to come back";
      case "poll" -> "is back after it was too slow";
      default -> trigger;
    };
  }

  /**
   * A member whose subscription cannot be read gets nothing, and the others go on. A part that
   * cannot be read fails the round.
   */
  MemberEvent.Joined joined(int attempt, JoinGroupResponseData answer, long sentAt, long nowNanos) {
    Errors error = Errors.forCode(answer.errorCode());
    MemberId member = answer.memberId().isEmpty() ? null : new MemberId(answer.memberId());
    MemberEvent.Joined.Part part = null;
    if (error == Errors.NONE) {
      served.told(answer.unknownTaggedFields(), nowNanos);
      try {
        part = part(answer, sentAt, nowNanos);
      } catch (RuntimeException e) {
        LOG.warn("the coordinator's assignment is unreadable: {}", e.toString());
        error = Errors.CORRUPT_MESSAGE;
      }
    }
    boolean leads = error == Errors.NONE && answer.leader().equals(answer.memberId());
    return new MemberEvent.Joined(
        attempt,
        error,
        answer.generationId(),
        member,
        leads && !answer.skipAssignment() ? plan(answer) : null,
        leads,
        part);
  }

  private MemberEvent.Joined.@Nullable Part part(
      JoinGroupResponseData answer, long sentAt, long nowNanos) {
    byte[] bytes = ServedFields.part(answer);
    return bytes == null
        ? null
        : new MemberEvent.Joined.Part(
            EmbeddedProtocol.decodeAssignment(bytes), sentAt, late(sentAt, nowNanos));
  }

  private boolean late(long sentAt, long nowNanos) {
    return nowNanos - sentAt > config.heartbeatInterval().toNanos();
  }

  private GroupPlan plan(JoinGroupResponseData answer) {
    List<JoinedMember> members = answer.members().stream().map(this::member).toList();
    complained.retainAll(members.stream().map(JoinedMember::id).toList());
    BiConsumer<JoinedMember, String> complaints =
        (member, complaint) -> complain(member.id(), complaint);
    GroupPlan plan = strategy.plan(members, complaints);
    return delays != null && plan instanceof MemberStrategy.Plan known
        ? delays.plan(answer.generationId(), known, members, complaints)
        : plan;
  }

  private JoinedMember member(JoinGroupResponseData.JoinGroupResponseMember member) {
    MemberId id = new MemberId(member.memberId());
    String instanceId = member.groupInstanceId() == null ? "" : member.groupInstanceId();
    try {
      return new JoinedMember(
          id, instanceId, EmbeddedProtocol.decodeSubscription(member.metadata()));
    } catch (RuntimeException e) {
      complain(id, "gets no partitions, its subscription is unreadable: " + e);
      return new JoinedMember(id, instanceId, new ConsumerProtocolSubscription());
    }
  }

  /** Once of each member, which would say the same in every round. */
  private void complain(MemberId member, String complaint) {
    if (complained.add(member)) {
      LOG.warn("member {} of group {} {}", member, group, complaint);
    }
  }

  SyncGroupRequestData sync(int generation, MemberId member, Map<MemberId, Assignment> shares) {
    byte[] delay = delays == null ? null : delays.ofAssignments(generation);
    SyncGroupRequestData request = new SyncGroupRequestData();
    if (delays != null && delays.delayMs(generation) > 0) {
      request.unknownTaggedFields().add(ServedFields.delay(delays.delayMs(generation)));
    }
    return request
        .setGroupId(group.value())
        .setGenerationId(generation)
        .setMemberId(member.value())
        .setGroupInstanceId(instanceId)
        .setProtocolType(EmbeddedProtocol.TYPE)
        .setProtocolName(config.assignmentStrategy())
        .setAssignments(
            shares.entrySet().stream()
                .map(
                    share ->
                        new SyncGroupRequestData.SyncGroupRequestAssignment()
                            .setMemberId(share.getKey().value())
                            .setAssignment(EmbeddedProtocol.encode(share.getValue(), delay)))
                .toList());
  }

  /** An assignment that cannot be read fails the round; a delay that cannot be is none. */
  MemberEvent.Synced synced(
      MemberEffect.SendSync request, SyncGroupResponseData answer, long sentAt, long nowNanos) {
    int attempt = request.attempt();
    boolean late = late(sentAt, nowNanos);
    Errors error = Errors.forCode(answer.errorCode());
    if (error != Errors.NONE) {
      return new MemberEvent.Synced(attempt, error, Assignment.empty(), sentAt, late);
    }
    try {
      Assignment assignment = EmbeddedProtocol.decodeAssignment(answer.assignment());
      Duration delay = delay(request.generation(), answer.assignment(), nowNanos);
      return new MemberEvent.Synced(attempt, error, assignment, sentAt, late, delay);
    } catch (RuntimeException e) {
      LOG.warn("the group leader's assignment is unreadable: {}", e.toString());
      return new MemberEvent.Synced(
          attempt, Errors.CORRUPT_MESSAGE, Assignment.empty(), sentAt, late);
    }
  }

  private Duration delay(int generation, byte[] assignment, long nowNanos) {
    if (delays == null) {
      return Duration.ZERO;
    }
    try {
      return delays.take(generation, EmbeddedProtocol.userData(assignment), nowNanos);
    } catch (RuntimeException e) {
      LOG.warn("the delay in the group leader's assignment is unreadable: {}", e.toString());
      return Duration.ZERO;
    }
  }

  HeartbeatRequestData heartbeat(int generation, MemberId member) {
    return new HeartbeatRequestData()
        .setGroupId(group.value())
        .setGenerationId(generation)
        .setMemberId(member.value())
        .setGroupInstanceId(instanceId);
  }

  MemberEvent.Told told(int generation, HeartbeatResponseData answer, long sentAt, long nowNanos) {
    Errors error = Errors.forCode(answer.errorCode());
    if (error == Errors.NONE || error == Errors.REBALANCE_IN_PROGRESS) {
      served.told(answer.unknownTaggedFields(), nowNanos);
    }
    return new MemberEvent.Told(generation, error, sentAt);
  }

  LeaveGroupRequestData leave(MemberId member, String reason) {
    return new LeaveGroupRequestData()
        .setGroupId(group.value())
        .setMembers(
            List.of(
                new LeaveGroupRequestData.MemberIdentity()
                    .setMemberId(member.value())
                    .setReason(reason)));
  }
}
