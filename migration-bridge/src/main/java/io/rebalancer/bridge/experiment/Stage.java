package io.rebalancer.bridge.experiment;

import static java.util.stream.Collectors.toCollection;

import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One group of one engine on its own brokers and topics, and what can be done to it. Members are
 * known by the names they were configured with. Who is picked for a change comes from the seed. Not
 * thread-safe.
 */
final class Stage {

  /** Names leave room between them, so that a newcomer can sort anywhere. */
  private static final int NAME_STEP = 10;

  private final CompareParameters parameters;
  private final ClusterNodes cluster;
  private final RebalanceEngine engine;
  private final Recorder recorder;
  private final Random random;
  private final GroupId group;
  private final Subscription subscription;
  private final SortedMap<String, PartitionSet> topics = new TreeMap<>();
  private final SortedMap<String, GroupMember> members = new TreeMap<>();

  Stage(
      CompareParameters parameters,
      ClusterNodes cluster,
      RebalanceEngine engine,
      Recorder recorder,
      GroupId group) {
    this.parameters = parameters;
    this.cluster = cluster;
    this.engine = engine;
    this.recorder = recorder;
    this.group = group;
    this.random = new Random(parameters.seed());
    Map<String, Integer> streams = new HashMap<>();
    topicNames(parameters).forEach(topic -> streams.put(topic, parameters.threads()));
    this.subscription = Subscription.copyOf(streams);
    topicNames(parameters)
        .forEach(topic -> topics.put(topic, PartitionSet.range(0, parameters.partitions())));
  }

  /** Registers the brokers and creates the topics of a run, before its engine starts. */
  static void set(CompareParameters parameters, ClusterNodes cluster) {
    cluster.ensureBrokers(parameters.brokers());
    topicNames(parameters).forEach(topic -> cluster.createTopic(topic, parameters.partitions()));
  }

  private static List<String> topicNames(CompareParameters parameters) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < parameters.topics(); i++) {
      names.add(String.format("t%03d", i));
    }
    return names;
  }

  private static String memberName(int number) {
    return String.format("m-%06d", number);
  }

  /** The names of the members that a run begins with. */
  List<String> firstMembers() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < parameters.members(); i++) {
      names.add(memberName(NAME_STEP * (i + 1)));
    }
    return names;
  }

  /** A name nobody has, somewhere among the others. */
  String newcomer() {
    return memberName(NAME_STEP * random.nextInt(parameters.members() + 1) + NAME_STEP / 2);
  }

  /** That many different members, or all if there are fewer. */
  List<String> anyMembers(int count) {
    List<String> names = members.keySet().stream().collect(toCollection(ArrayList::new));
    Collections.shuffle(names, random);
    return names.subList(0, Math.min(count, names.size()));
  }

  void join(String name) {
    members.put(
        name, engine.join(new MemberConfig(group, name, subscription), OwnershipListener.none()));
  }

  void leave(String name) {
    remove(name).close();
    recorder.gone(name);
  }

  void crash(String name) {
    remove(name).crash();
    recorder.gone(name);
  }

  void restart(String name) {
    leave(name);
    join(name);
  }

  private GroupMember remove(String name) {
    GroupMember member = members.remove(name);
    if (member == null) {
      throw new IllegalStateException(
          "member " + name + " (expected: one of " + members.keySet() + ")");
    }
    return member;
  }

  void addBroker() {
    cluster.addBroker(parameters.brokers() + 1);
  }

  void restartBroker() {
    int broker = cluster.brokers().get(0);
    cluster.removeBroker(broker);
    cluster.addBroker(broker);
  }

  void addPartitions() {
    String topic = topics.firstKey();
    int more = parameters.partitions() + Math.max(1, parameters.partitions() / 10);
    topics.put(topic, PartitionSet.range(0, more));
    cluster.extendTopic(topic, more);
  }

  /** Makes every member rebalance without changing anything. */
  void nudge() {
    cluster.touchTopic(topics.firstKey());
  }

  /** What the assignor gives the members there are now. */
  SortedMap<String, Assignment> rightful() {
    SortedMap<MemberId, Subscription> subscriptions = new TreeMap<>();
    members.keySet().forEach(name -> subscriptions.put(new MemberId(name), subscription));
    SortedMap<String, Assignment> shares = new TreeMap<>();
    new RangeAssignor()
        .assign(topics, subscriptions)
        .forEach((member, share) -> shares.put(member.value(), share));
    return shares;
  }

  /** What the members there are now believe they own. */
  SortedMap<String, Assignment> beliefs() {
    SortedMap<String, Assignment> beliefs = new TreeMap<>();
    members.forEach((name, member) -> beliefs.put(name, member.assignment()));
    return beliefs;
  }

  /** All partitions of the topics there are now. */
  Assignment partitions() {
    return new Assignment(topics);
  }

  Set<String> memberNames() {
    return Set.copyOf(members.keySet());
  }
}
