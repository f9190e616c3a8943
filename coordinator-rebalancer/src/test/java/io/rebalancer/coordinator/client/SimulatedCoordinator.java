package io.rebalancer.coordinator.client;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.group.Step;
import io.rebalancer.coordinator.group.TimerId;
import io.rebalancer.coordinator.runtime.Described;
import io.rebalancer.coordinator.wire.AdminMessages;
import io.rebalancer.coordinator.wire.GroupAnswers;
import io.rebalancer.coordinator.wire.GroupRequests;
import io.rebalancer.core.assignor.member.Assignors;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.testkit.VirtualTime;
import io.rebalancer.core.time.Scheduler.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * The coordinator's own state machine and message mapping in virtual time, without sockets or
 * ZooKeeper. Storing takes a while; nothing fails.
 */
final class SimulatedCoordinator implements GroupEffect.Visitor {

  static final GroupId GROUP = new GroupId("g");
  private static final TimerId DELAY = TimerId.ofGroup(TimerId.Kind.DELAY);
  private static final TimerId LED_DELAY = TimerId.ofGroup(TimerId.Kind.LED_DELAY);
  private static final short JOIN_VERSION = 9;
  private static final short HEARTBEAT_VERSION = 4;
  private static final short LEAVE_VERSION = 5;

  private final VirtualTime time;
  private final Random random;
  private final Consumer<LedgerEntry> ledger;
  private final MetadataResponseData topics;
  private final GroupStateMachine machine;
  private final Map<RequestId, Consumer<Answer>> open = new HashMap<>();
  private final Map<TimerId, Cancellable> timers = new HashMap<>();
  private final Map<TimerId, Long> dueNanos = new HashMap<>();
  private GroupState group = GroupState.fresh(GROUP);
  private HardState stored = HardState.empty();
  private int term;
  private long lastRequest;
  private int lastMember;
  private int syncs;

  /** Of a group whose leader assigns. */
  SimulatedCoordinator(
      VirtualTime time, Random random, MetadataResponseData topics, Consumer<LedgerEntry> ledger) {
    this(time, random, topics, ledger, GroupOptions.CLASSIC);
  }

  SimulatedCoordinator(
      VirtualTime time,
      Random random,
      MetadataResponseData topics,
      Consumer<LedgerEntry> ledger,
      GroupOptions options) {
    this.time = time;
    this.random = random;
    this.topics = topics;
    this.ledger = ledger;
    this.machine =
        new GroupStateMachine(
            new GroupRules(0, 1_000, 1_800_000, Integer.MAX_VALUE, group -> options),
            part -> Opaque.copyOf(EmbeddedProtocol.encode(part)));
  }

  int syncs() {
    return syncs;
  }

  /** {@code answer} is told at once or when the request's time has come. */
  void handle(String clientId, ApiKeys api, ApiMessage message, Consumer<ApiMessage> answer) {
    RequestId id = new RequestId(++lastRequest);
    switch (api) {
      case METADATA -> answer.accept(topics.duplicate());
      case JOIN_GROUP -> {
        open.put(id, given -> answer.accept(GroupAnswers.join(JOIN_VERSION, given)));
        ClientInfo client = new ClientInfo(clientId, "host", ClientInfo.OWN_SOFTWARE);
        MemberId fresh = new MemberId(clientId + "-" + ++lastMember);
        step(GroupRequests.join(id, JOIN_VERSION, client, fresh, (JoinGroupRequestData) message));
      }
      case SYNC_GROUP -> {
        syncs++;
        open.put(id, given -> answer.accept(GroupAnswers.sync(given)));
        step(GroupRequests.sync(id, (SyncGroupRequestData) message));
      }
      case HEARTBEAT -> {
        open.put(id, given -> answer.accept(GroupAnswers.heartbeat(HEARTBEAT_VERSION, given)));
        step(GroupRequests.heartbeat(id, (HeartbeatRequestData) message));
      }
      case LEAVE_GROUP -> {
        open.put(id, given -> answer.accept(GroupAnswers.leave(LEAVE_VERSION, given)));
        step(GroupRequests.leave(id, LEAVE_VERSION, (LeaveGroupRequestData) message));
      }
      default -> throw new IllegalArgumentException("request: " + api);
    }
  }

  /**
   * Another coordinator takes over from what is stored: nothing that waits is answered, or stored.
   */
  void failOver() {
    term++;
    open.clear();
    timers.values().forEach(Cancellable::cancel);
    timers.clear();
    group = GroupState.restored(GROUP, stored);
    step(new GroupEvent.Restored());
  }

  void topicsChanged(Set<String> topics) {
    step(new GroupEvent.TopicsChanged(topics));
  }

  private void step(GroupEvent event) {
    Step step = machine.step(group, event);
    group = step.state();
    step.effects().forEach(effect -> effect.accept(this));
  }

  @Override
  public void onPersist(GroupEffect.Persist effect) {
    int writtenIn = term;
    time.schedule(
        Duration.ofMillis(1 + random.nextInt(10)),
        () -> {
          if (writtenIn == term) {
            stored = effect.state();
            step(new GroupEvent.Persisted(effect.write()));
          }
        });
  }

  @Override
  public void onStoreOffsets(GroupEffect.StoreOffsets effect) {
    throw new IllegalStateException("no offsets here");
  }

  @Override
  public void onDeleteOffsets(GroupEffect.DeleteOffsets effect) {
    throw new IllegalStateException("no offsets here");
  }

  @Override
  public void onForget(GroupEffect.Forget effect) {
    throw new IllegalStateException("nobody deletes groups here");
  }

  @Override
  public void onReply(GroupEffect.Reply effect) {
    Consumer<Answer> answer = open.remove(effect.request());
    if (answer != null) {
      answer.accept(effect.answer().withDelayMs(delayMs(DELAY)));
    }
  }

  private int delayMs(TimerId delay) {
    long left = dueNanos.getOrDefault(delay, 0L) - time.nanos();
    return timers.containsKey(delay) ? (int) Duration.ofNanos(left).toMillis() : 0;
  }

  /** The state, and the protocol with what is left of a delay, as DescribeGroups tells. */
  String described() {
    DescribedGroup shown = AdminMessages.described(new Described(group, delayMs(LED_DELAY)));
    return shown.groupState() + " " + shown.protocolData();
  }

  @Override
  public void onArmTimer(GroupEffect.ArmTimer effect) {
    onCancelTimer(new GroupEffect.CancelTimer(effect.timer()));
    dueNanos.put(effect.timer(), time.nanos() + Duration.ofMillis(effect.delayMs()).toNanos());
    timers.put(
        effect.timer(),
        time.schedule(
            Duration.ofMillis(effect.delayMs()),
            () -> {
              timers.remove(effect.timer());
              step(new GroupEvent.TimerExpired(effect.timer()));
            }));
  }

  @Override
  public void onCancelTimer(GroupEffect.CancelTimer effect) {
    Cancellable armed = timers.remove(effect.timer());
    if (armed != null) {
      armed.cancel();
    }
  }

  @Override
  public void onAssign(GroupEffect.Assign effect) {
    int askedIn = term;
    List<GroupInput.Member> claimants = new ArrayList<>();
    effect
        .members()
        .forEach(
            claimant ->
                claimants.add(
                    GroupInput.Member.of(claimant.id().value(), claimant.topics())
                        .owning(claimant.previous(), effect.generation() - 1)));
    GroupInput input =
        GroupInput.of(TopicMessages.topicsKnown(0, topics).topics().partitions(), claimants);
    var targets = Assignors.named(effect.assignor()).assign(input).shares();
    time.schedule(
        Duration.ofMillis(1 + random.nextInt(10)),
        () -> {
          if (askedIn == term) {
            step(new GroupEvent.Assigned(effect.generation(), targets));
          }
        });
  }

  @Override
  public void onShared(GroupEffect.Shared effect) {
    granted(effect.member().client().clientId(), effect.granted(), effect.generation());
  }

  private void granted(String member, Assignment part, int generation) {
    if (!part.isEmpty()) {
      ledger.accept(
          new LedgerEntry(
              time.nanos(),
              LedgerEntry.Kind.GRANTED,
              GROUP,
              member,
              part,
              FencingToken.ofGeneration(generation)));
    }
  }

  @Override
  public void onMoved(GroupEffect.Moved effect) {}

  @Override
  public void onGranted(GroupEffect.Granted effect) {
    effect
        .state()
        .members()
        .values()
        .forEach(
            member ->
                granted(
                    member.client().clientId(),
                    EmbeddedProtocol.decodeAssignment(member.assignment().toBytes()),
                    effect.state().generation()));
  }
}
