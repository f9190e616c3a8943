package io.rebalancer.it.differential;

import static org.awaitility.Awaitility.await;

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * One run of a script against one coordinator. Members are called by roles: "a", "b"; each has a
 * connection of its own, and the id that its first Join was answered with.
 */
final class Dialog implements AutoCloseable {

  /** An id that no coordinator gave. */
  static final String NOBODY = "nobody";

  private static final String OBSERVER = "observer";

  private record Sent(ApiKeys key, int version) {}

  private final Target target;
  private final Barrier barrier;
  private final String group;
  private final Rendering rendering;
  private final List<String> transcript = new ArrayList<>();
  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final Map<String, Deque<Sent>> unanswered = new LinkedHashMap<>();
  private final Map<String, String> ids = new LinkedHashMap<>();
  private int generation = -1;
  private boolean quiet;
  private long beganNanos;

  Dialog(Target target, Barrier barrier, String group) {
    this.target = target;
    this.barrier = barrier;
    this.group = group;
    rendering = new Rendering(target);
    rendering.name(group, "group");
  }

  String group() {
    return group;
  }

  /** Of the last Join that was answered with one. */
  int generation() {
    return generation;
  }

  /** The member id of {@code role}, or one that nobody has. */
  String id(String role) {
    return ids.getOrDefault(role, NOBODY);
  }

  boolean has(String role) {
    return ids.containsKey(role);
  }

  Target target() {
    return target;
  }

  List<String> transcript() {
    return transcript.stream().map(rendering::named).toList();
  }

  /** While a request of its is parked, Kafka takes none from that connection. */
  private String free(String role) {
    return unanswered.getOrDefault(role, new ArrayDeque<>()).isEmpty() ? role : role + "'";
  }

  private Line line(String role) {
    return lines.computeIfAbsent(role, name -> new Line(target, name.replace("'", "")));
  }

  /** Sends, and returns when the coordinator has taken it up. */
  void send(String role, ApiKeys key, int version, ApiMessage body) throws Exception {
    line(role).send(key, version, body);
    unanswered.computeIfAbsent(role, name -> new ArrayDeque<>()).add(new Sent(key, version));
    barrier.pass();
  }

  /** The answer to the oldest unanswered request of {@code role}, for the record. */
  Optional<ApiMessage> answer(String connection) throws Exception {
    Sent sent = unanswered.get(connection).remove();
    String role = connection.replace("'", "");
    Optional<ApiMessage> answer;
    try {
      answer = line(connection).receive(sent.key(), sent.version());
    } catch (SocketTimeoutException e) {
      note(connection + ": " + sent.key().name + " v" + sent.version() + " -> no answer");
      return Optional.empty();
    }
    if (answer.isPresent() && answer.get() instanceof JoinGroupResponseData joined) {
      learn(role, joined);
      if (joined.generationId() >= 0) {
        generation = joined.generationId();
      }
    }
    if (answer.isPresent() && answer.get() instanceof ListGroupsResponseData list) {
      list.groups().removeIf(each -> !each.groupId().equals(group));
    }
    if (!quiet) {
      note(
          connection
              + ": "
              + sent.key().name
              + " v"
              + sent.version()
              + " -> "
              + answer.map(rendering::of).orElse("closed"));
    }
    return answer;
  }

  /** Who joins as an instance that there is gets another id. */
  private void learn(String role, JoinGroupResponseData joined) {
    String id = joined.memberId();
    if (id.isEmpty() || id.equals(NOBODY) || id.equals(ids.get(role))) {
      return;
    }
    rendering.name(id, has(role) ? role + " again" : role);
    ids.put(role, id);
  }

  void note(String line) {
    transcript.add(line);
  }

  /** What is not the point of the script; it must succeed. */
  void quietly(Script.Steps steps) throws Exception {
    quiet = true;
    steps.run(this);
    quiet = false;
  }

  Optional<ApiMessage> ask(String role, ApiKeys key, int version, ApiMessage body)
      throws Exception {
    line(role).send(key, version, body);
    unanswered.computeIfAbsent(role, name -> new ArrayDeque<>()).add(new Sent(key, version));
    return answer(role);
  }

  // Requests as a member would send them, to be spoilt by the script.

  JoinGroupRequestData join(String role) {
    JoinGroupRequestData join =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setMemberId(ids.getOrDefault(role, ""))
            .setSessionTimeoutMs(30_000)
            .setRebalanceTimeoutMs(30_000)
            .setProtocolType("consumer");
    join.protocols().add(protocol("range", Bytes.SUBSCRIPTION));
    return join;
  }

  static JoinGroupRequestProtocol protocol(String name, byte[] metadata) {
    return new JoinGroupRequestProtocol().setName(name).setMetadata(metadata);
  }

  /** As group leader of everybody who has an id. */
  SyncGroupRequestData sync(String role) {
    List<SyncGroupRequestAssignment> shares = new ArrayList<>();
    ids.values()
        .forEach(
            id ->
                shares.add(
                    new SyncGroupRequestAssignment().setMemberId(id).setAssignment(Bytes.SHARE)));
    return new SyncGroupRequestData()
        .setGroupId(group)
        .setMemberId(id(role))
        .setGenerationId(generation)
        .setAssignments(shares);
  }

  HeartbeatRequestData heartbeat(String role) {
    return new HeartbeatRequestData()
        .setGroupId(group)
        .setMemberId(id(role))
        .setGenerationId(generation);
  }

  // What members do in the course of things, in the newest version.

  /** The first Join up to and with the one that makes it a member; not its answer. */
  void enter(String role, Consumer<JoinGroupRequestData> change) throws Exception {
    JoinGroupRequestData join = join(role);
    change.accept(join);
    ask(role, ApiKeys.JOIN_GROUP, 9, join);
    rejoin(role, change);
  }

  void enter(String role) throws Exception {
    enter(role, join -> {});
  }

  /** Sends over another connection if {@code role} still waits on its own; answers which. */
  String sendAside(String role, ApiKeys key, int version, ApiMessage body) throws Exception {
    String connection = free(role);
    send(connection, key, version, body);
    return connection;
  }

  void rejoin(String role, Consumer<JoinGroupRequestData> change) throws Exception {
    JoinGroupRequestData join = join(role);
    change.accept(join);
    send(role, ApiKeys.JOIN_GROUP, 9, join);
  }

  void rejoin(String role) throws Exception {
    rejoin(role, join -> {});
  }

  /** Asks for its share; not the answer. */
  void sync(String role, boolean leads) throws Exception {
    SyncGroupRequestData sync = sync(role);
    if (!leads) {
      sync.setAssignments(List.of());
    }
    send(role, ApiKeys.SYNC_GROUP, 3, sync);
  }

  /** Of a static member there is no first Join without an id. */
  void enterStatic(String role, String instance, Consumer<JoinGroupRequestData> change)
      throws Exception {
    rejoin(
        role,
        join -> {
          join.setGroupInstanceId(instance);
          change.accept(join);
        });
  }

  void enterStatic(String role, String instance) throws Exception {
    enterStatic(role, instance, join -> {});
  }

  /** A group of one, up to the end of its join phase. */
  void completing(String role) throws Exception {
    enter(role);
    answer(role);
  }

  /** A stable group of one. */
  void stable(String role) throws Exception {
    completing(role);
    sync(role, true);
    answer(role);
  }

  /** A group of two, led by the first, after its join phase. */
  void completing(String leader, String follower) throws Exception {
    stable(leader);
    enter(follower);
    rejoin(leader);
    answer(leader);
    answer(follower);
  }

  void stable(String leader, String follower) throws Exception {
    completing(leader, follower);
    sync(leader, true);
    answer(leader);
    sync(follower, false);
    answer(follower);
  }

  void leave(String... roles) throws Exception {
    LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
    for (String role : roles) {
      leave.members().add(new MemberIdentity().setMemberId(id(role)));
    }
    ask(OBSERVER, ApiKeys.LEAVE_GROUP, 3, leave);
  }

  /** What a heartbeat of every member is answered with. */
  void beats() throws Exception {
    StringBuilder found = new StringBuilder("beats:");
    Line observer = line(OBSERVER);
    for (String role : List.copyOf(ids.keySet())) {
      observer.send(ApiKeys.HEARTBEAT, 0, heartbeat(role));
      HeartbeatResponseData answer =
          (HeartbeatResponseData) observer.receive(ApiKeys.HEARTBEAT, 0).orElseThrow();
      found.append(' ').append(role).append('=').append(Errors.forCode(answer.errorCode()));
    }
    note(found.toString());
  }

  /**
   * What became of the group: everybody's heartbeat; then all leave, whoever still waits is
   * answered, and one more member says which generation it is.
   */
  void finish() throws Exception {
    if (!ids.isEmpty()) {
      awaitRound(ids.keySet());
      beats();
    }
    do {
      dismiss();
      for (Map.Entry<String, Deque<Sent>> each : List.copyOf(unanswered.entrySet())) {
        while (!each.getValue().isEmpty()) {
          answer(each.getKey());
        }
      }
    } while (unanswered.values().stream().anyMatch(sent -> !sent.isEmpty()));
    dismiss();
    last();
  }

  /** One by one, for Kafka forgets the Sync of whoever leaves with the group leader. */
  private void dismiss() throws Exception {
    boolean before = quiet;
    quiet = true;
    List<String> left = new ArrayList<>(ids.keySet());
    for (String role : List.copyOf(left)) {
      leave(role);
      left.remove(role);
      awaitRound(left);
    }
    quiet = before;
  }

  /**
   * If all who are left have joined, the round is over and they are answered: by Kafka at once, by
   * ours when what was given up before is stored.
   */
  private void awaitRound(Collection<String> left) {
    Map<String, List<String>> joining = new LinkedHashMap<>();
    unanswered.forEach(
        (connection, sent) -> {
          if (sent.stream().anyMatch(each -> each.key() == ApiKeys.JOIN_GROUP)) {
            joining
                .computeIfAbsent(connection.replace("'", ""), role -> new ArrayList<>())
                .add(connection);
          }
        });
    // Who has no id may only have been handed one out, and then the round waits for it.
    if (ids.keySet().containsAll(joining.keySet()) && joining.keySet().containsAll(left)) {
      await()
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(1))
          .pollInSameThread()
          .until(
              () ->
                  left.stream()
                      .allMatch(
                          role ->
                              joining.get(role).stream()
                                  .anyMatch(connection -> line(connection).hasAnswer())));
    }
  }

  private void last() throws Exception {
    JoinGroupRequestData join = join("z");
    Line observer = line(OBSERVER);
    awaitState(state -> List.of("Empty", "Dead").contains(state));
    observer.send(ApiKeys.JOIN_GROUP, 3, join);
    JoinGroupResponseData joined =
        (JoinGroupResponseData) observer.receive(ApiKeys.JOIN_GROUP, 3).orElseThrow();
    Errors error = Errors.forCode(joined.errorCode());
    note("next: " + (error == Errors.NONE ? "generation " + joined.generationId() : error.name()));
    if (error == Errors.NONE) {
      observer.send(
          ApiKeys.LEAVE_GROUP,
          0,
          new LeaveGroupRequestData().setGroupId(group).setMemberId(joined.memberId()));
      observer.receive(ApiKeys.LEAVE_GROUP, 0);
    }
  }

  /**
   * Ours announces a generation when it is stored; what was given up before is stored first. Seen
   * in what DescribeGroups says, which no timer of a member hears of.
   */
  void awaitState(Predicate<String> expected) throws Exception {
    await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(() -> expected.test(state()));
  }

  private String state() throws Exception {
    Line observer = line(OBSERVER);
    observer.send(
        ApiKeys.DESCRIBE_GROUPS, 0, new DescribeGroupsRequestData().setGroups(List.of(group)));
    DescribeGroupsResponseData answer =
        (DescribeGroupsResponseData) observer.receive(ApiKeys.DESCRIBE_GROUPS, 0).orElseThrow();
    return answer.groups().get(0).groupState();
  }

  /** Which state the group is in, for the record. */
  void noteState() throws Exception {
    note("state: " + state());
  }

  /** All that an administrator is shown of the group, for the record. */
  void describe() throws Exception {
    ask(
        OBSERVER,
        ApiKeys.DESCRIBE_GROUPS,
        5,
        new DescribeGroupsRequestData().setGroups(List.of(group)));
  }

  /** From here on {@link #awaitElapsed} counts. */
  void begin() {
    beganNanos = System.nanoTime();
  }

  void awaitElapsed(Duration time) {
    await()
        .atMost(time.plusSeconds(10))
        .pollInterval(Duration.ofMillis(5))
        .pollInSameThread()
        .until(() -> System.nanoTime() - beganNanos >= time.toNanos());
  }

  @Override
  public void close() {
    lines.values().forEach(Line::close);
  }
}
