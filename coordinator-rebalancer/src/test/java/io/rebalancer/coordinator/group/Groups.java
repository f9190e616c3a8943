package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Groups in every phase, reached through events, and the events to try on them. */
final class Groups {

  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 60_000;
  static final MemberId A = new MemberId("a");
  static final MemberId B = new MemberId("b");
  static final MemberId C = new MemberId("c");
  static final ClientInfo JAVA = new ClientInfo("client", "/127.0.0.1", "apache-kafka-java");
  static final ClientInfo OURS = new ClientInfo("client", "/127.0.0.1", "rebalancer");

  private final GroupStateMachine machine;
  private ClientInfo client = JAVA;

  Groups() {
    this(100);
  }

  Groups(int maxSize) {
    machine = new GroupStateMachine(new GroupRules(3_000, 6_000, 1_800_000, maxSize));
  }

  static Groups ofOurClient() {
    Groups groups = new Groups();
    groups.client = OURS;
    return groups;
  }

  Step step(GroupState state, GroupEvent event) {
    return machine.step(state, event);
  }

  GroupState after(GroupState state, GroupEvent... events) {
    GroupState now = state;
    for (GroupEvent event : events) {
      now = machine.step(now, event).state();
    }
    return now;
  }

  static GroupState unknown() {
    return GroupState.fresh(new GroupId("g"));
  }

  /** Its only member a has left again: generation 2. */
  GroupState empty() {
    return after(stableOfOne(), leave(90, A), new GroupEvent.Persisted(2));
  }

  /** a and b, both to join again. */
  GroupState preparing() {
    return after(stable(), timer(TimerId.Kind.SESSION, C));
  }

  /** a leads, b follows; generation 2, nobody has synced. */
  GroupState completing() {
    return after(preparing(), rejoin(80, A), rejoin(81, B));
  }

  /** a leads, b and c follow; generation 1. */
  GroupState stable() {
    return after(
        unknown(),
        joinOld(70, A),
        joinOld(71, B),
        joinOld(72, C),
        timer(TimerId.Kind.INITIAL_DELAY),
        timer(TimerId.Kind.INITIAL_DELAY),
        sync(73, B, 1),
        sync(74, C, 1),
        leaderSync(75, A, 1),
        new GroupEvent.Persisted(1));
  }

  /** a alone; generation 1. */
  GroupState stableOfOne() {
    return after(
        unknown(),
        joinOld(70, A),
        timer(TimerId.Kind.INITIAL_DELAY),
        leaderSync(75, A, 1),
        new GroupEvent.Persisted(1));
  }

  GroupState dead() {
    return after(stable(), new GroupEvent.Resigned(GroupError.NOT_COORDINATOR));
  }

  GroupState in(GroupPhase phase) {
    return switch (phase) {
      case EMPTY -> empty();
      case PREPARING_REBALANCE -> preparing();
      case COMPLETING_REBALANCE -> completing();
      case STABLE -> stable();
      case DEAD -> dead();
      case ASSIGNING, RECONCILING -> throw new IllegalArgumentException(phase + " is not classic");
    };
  }

  static RequestId request(long number) {
    return new RequestId(number);
  }

  static Opaque bytes(String text) {
    return Opaque.copyOf(text.getBytes(StandardCharsets.UTF_8));
  }

  GroupEvent.JoinRequested join(
      long request, String memberId, MemberId freshId, boolean idRequired, Protocol... protocols) {
    return new GroupEvent.JoinRequested(
        request(request),
        memberId,
        freshId,
        idRequired,
        true,
        "",
        client,
        SESSION_MS,
        REBALANCE_MS,
        "consumer",
        List.of(protocols),
        Set.of("t"),
        Kept.NOTHING,
        "");
  }

  /** A first Join of a version that needs no id. */
  GroupEvent.JoinRequested joinOld(long request, MemberId id) {
    return join(request, "", id, false, range("t"));
  }

  GroupEvent.JoinRequested rejoin(long request, MemberId id) {
    return join(request, id.value(), new MemberId("unused"), true, range("t"));
  }

  /** With other topics, which its metadata says, too. */
  GroupEvent.JoinRequested rejoin(long request, MemberId id, Set<String> topics) {
    return new GroupEvent.JoinRequested(
        request(request),
        id.value(),
        new MemberId("unused"),
        true,
        true,
        "",
        client,
        SESSION_MS,
        REBALANCE_MS,
        "consumer",
        List.of(range(topics.toString())),
        topics,
        Kept.NOTHING,
        "");
  }

  static Protocol range(String metadata) {
    return new Protocol("range", bytes(metadata));
  }

  /** A consumer's Join of a server-assigned group, for topic t. */
  static GroupEvent servedJoin(
      long request, String memberId, MemberId fresh, String instanceId, Kept kept) {
    return new GroupEvent.JoinRequested(
        new RequestId(request),
        memberId,
        fresh,
        false,
        false,
        instanceId,
        JAVA,
        SESSION_MS,
        REBALANCE_MS,
        "consumer",
        List.of(range("t")),
        Set.of("t"),
        kept,
        "");
  }

  static GroupEvent sync(long request, MemberId member, int generation) {
    return new GroupEvent.SyncRequested(
        request(request), member.value(), "", generation, "", "", Map.of());
  }

  static GroupEvent leaderSync(long request, MemberId member, int generation) {
    return new GroupEvent.SyncRequested(
        request(request),
        member.value(),
        "",
        generation,
        "consumer",
        "range",
        Map.of(A, bytes("part of a"), B, bytes("part of b")));
  }

  static GroupEvent heartbeat(long request, String member, int generation) {
    return new GroupEvent.HeartbeatRequested(request(request), member, "", generation);
  }

  static GroupEvent leave(long request, MemberId... members) {
    return new GroupEvent.LeaveRequested(
        request(request),
        Arrays.stream(members)
            .map(member -> new GroupEvent.Identity(member.value(), "", ""))
            .toList());
  }

  static GroupEvent commit(long request, String member, int generation) {
    return new GroupEvent.CommitRequested(request(request), member, "", generation, positions());
  }

  static Map<TopicPartition, CommittedOffset> positions() {
    return Map.of(new TopicPartition("t", 0), new CommittedOffset(7, -1, "", 0));
  }

  static GroupEvent timer(TimerId.Kind kind) {
    return new GroupEvent.TimerExpired(new TimerId(kind, ""));
  }

  static GroupEvent timer(TimerId.Kind kind, MemberId member) {
    return new GroupEvent.TimerExpired(new TimerId(kind, member.value()));
  }

  static GroupEffect arm(TimerId.Kind kind, int delayMs) {
    return new GroupEffect.ArmTimer(new TimerId(kind, ""), delayMs);
  }

  static GroupEffect arm(TimerId.Kind kind, MemberId member, int delayMs) {
    return new GroupEffect.ArmTimer(new TimerId(kind, member.value()), delayMs);
  }

  static GroupEffect session(MemberId member) {
    return arm(TimerId.Kind.SESSION, member, SESSION_MS);
  }

  static GroupEffect cancel(TimerId.Kind kind) {
    return new GroupEffect.CancelTimer(new TimerId(kind, ""));
  }

  static GroupEffect cancel(TimerId.Kind kind, MemberId member) {
    return new GroupEffect.CancelTimer(new TimerId(kind, member.value()));
  }

  static GroupEffect reply(long request, Answer answer) {
    return new GroupEffect.Reply(request(request), answer);
  }

  static GroupEffect moved(int generation, GroupPhase from, GroupPhase to, Reason reason) {
    return new GroupEffect.Moved(generation, from, to, reason);
  }
}
