package io.rebalancer.zk.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toCollection;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.core.znode.JsonDialect;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.protocol.GroupView;
import io.rebalancer.zk.runtime.RegistryException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Registrations, and what a rebalance reads. With B brokers, M members and T topics of the group an
 * attempt reads {@code 2(1+B) + 1} times before it releases and {@code 1 + 1 + M + T + 1} times
 * after: {@code M + 6 + 2B + T} in all, and once more per partition it claims. The original's
 * leader finder, which this consumer has not, reads {@code 1 + B} more. Each reading of a wildcard
 * registration lists the topics once more.
 */
final class ConsumerNodes {

  private static final byte[] EMPTY = {};

  /** As many as it takes for an attempt to go on. */
  private static final OptionalInt NO_BROKERS_NEEDED = OptionalInt.of(1);

  private final String connect;
  private final Znodes znodes;
  private final GroupId group;
  private final MemberId self;
  private final RegistryRules rules;
  private final Unreadable unreadable;
  private boolean rootSeen;

  ConsumerNodes(
      String connect,
      Znodes znodes,
      GroupId group,
      MemberId self,
      RegistryRules rules,
      Unreadable unreadable) {
    this.connect = connect;
    this.znodes = znodes;
    this.group = group;
    this.self = self;
    this.rules = rules;
    this.unreadable = unreadable;
  }

  /** Empty when written; else why it has to wait for another's registration to go. */
  Optional<String> register(ConsumerRegistration registration, LongSupplier session) {
    String path = ZnodePaths.id(group, self);
    byte[] payload = registration.encode();
    if (rules.release() == Release.V0_8) {
      return registerExpectingConflicts(path, payload, session);
    }
    return registerChecked(path, payload, session);
  }

  /**
   * Kafka 0.8, {@code createEphemeralPathExpectConflictHandleZKBug}: parents on demand; a node with
   * the same text is taken for its own, another is read twice and then waited for. A strict
   * consumer looks at the session instead of the text.
   */
  private Optional<String> registerExpectingConflicts(
      String path, byte[] payload, LongSupplier session) {
    while (true) {
      Znodes.Created created = znodes.create(path, payload, CreateMode.EPHEMERAL, new Stat());
      if (created == Znodes.Created.NO_PARENT) {
        znodes.createParents(path);
        created = znodes.create(path, payload, CreateMode.EPHEMERAL, new Stat());
      }
      if (created == Znodes.Created.NEW) {
        return Optional.empty();
      }
      Optional<Znodes.Node> first = znodes.data(path);
      if (first.isPresent()
          && (rules.strict()
              ? isOf(first.get(), session)
              : Arrays.equals(first.get().data(), payload))) {
        return Optional.empty();
      }
      Optional<Znodes.Node> second = znodes.data(path);
      if (second.isPresent()) {
        return Optional.of(heldBy(path, second.get()));
      }
    }
  }

  /**
   * Kafka 0.9-1.1, {@code ZKCheckedEphemeral}: four creates, the parents with empty payloads. The
   * first time the chroot is looked for. Another session's is refused at once; a strict consumer
   * waits for it, since it may be a dead one's.
   */
  private Optional<String> registerChecked(String path, byte[] payload, LongSupplier session) {
    if (!rootSeen && !znodes.exists("/")) {
      throw new RegistryException(
          "zookeeper.connect: " + connect + ": the chroot does not exist", null);
    }
    rootSeen = true;
    for (String parent :
        List.of(ZnodePaths.CONSUMERS, ZnodePaths.group(group), ZnodePaths.ids(group))) {
      znodes.create(parent, EMPTY, CreateMode.PERSISTENT, new Stat());
    }
    while (znodes.create(path, payload, CreateMode.EPHEMERAL, new Stat()) != Znodes.Created.NEW) {
      Optional<Znodes.Node> other = znodes.data(path);
      if (other.isEmpty()) {
        continue; // Gone since: try again.
      }
      if (isOf(other.get(), session)) {
        return Optional.empty();
      }
      if (rules.strict()) {
        return Optional.of(heldBy(path, other.get()));
      }
      throw new RegistryException(heldBy(path, other.get()), null);
    }
    return Optional.empty();
  }

  private static boolean isOf(Znodes.Node node, LongSupplier session) {
    return node.stat().getEphemeralOwner() == session.getAsLong();
  }

  private static String heldBy(String path, Znodes.Node node) {
    return path
        + ": registered by ZooKeeper session 0x"
        + Long.toHexString(node.stat().getEphemeralOwner())
        + " (expected: none, or its own)";
  }

  /** Empty when its own registration is gone. */
  OptionalInt readBrokers() {
    if (!rules.given().isEmpty()) {
      return znodes.exists(ZnodePaths.id(group, self)) ? NO_BROKERS_NEEDED : OptionalInt.empty();
    }
    readBrokers(true);
    String path = ZnodePaths.id(group, self);
    Optional<Znodes.Node> own = znodes.data(path);
    if (own.isEmpty()) {
      return OptionalInt.empty();
    }
    subscription(demandReadable(path, own.get()));
    return OptionalInt.of(readBrokers(false));
  }

  /** A broker that vanishes between listing and reading fails the first round only (D20). */
  private int readBrokers(boolean demanded) {
    SortedSet<String> brokers =
        new TreeSet<>(znodes.children(ZnodePaths.BROKER_IDS).orElse(List.of()));
    for (String broker : brokers) {
      String path = ZnodePaths.BROKER_IDS + "/" + broker;
      Optional<Znodes.Node> node = znodes.data(path);
      if (node.isPresent()) {
        unreadable.demand(node.get(), payload -> BrokerRegistration.decode(path, payload, json()));
      } else if (demanded) {
        throw new RegistryException(path + ": no such znode", null);
      }
    }
    return brokers.size();
  }

  private Subscription readOwnRegistration() {
    String path = ZnodePaths.id(group, self);
    return subscription(demandReadable(path, znodes.demand(path)));
  }

  private TopicSelection demandReadable(String path, Znodes.Node node) {
    return unreadable.demand(node, payload -> decode(path, payload));
  }

  private TopicSelection decode(String path, byte @Nullable [] payload) {
    return ConsumerRegistration.decode(path, payload, json()).topics();
  }

  private Subscription subscription(TopicSelection topics) {
    return topics instanceof WildcardSubscription wildcard
        ? wildcard.among(listTopics(), rules.excludedTopics())
        : (Subscription) topics;
  }

  /** One bad registration stops every member (D10), but for a strict one, which skips it. */
  GroupView readGroup() {
    Subscription own = readOwnRegistration();
    Map<MemberId, Subscription> members = new TreeMap<>();
    for (String name : listMembers()) {
      MemberId member = new MemberId(name);
      String path = ZnodePaths.id(group, member);
      Znodes.Node node = znodes.demand(path);
      Optional<TopicSelection> topics =
          rules.strict()
              ? unreadable.skip(node, payload -> decode(path, payload))
              : Optional.of(demandReadable(path, node));
      topics.ifPresent(selection -> members.put(member, subscription(selection)));
    }
    Map<String, PartitionSet> topics =
        rules.given().isEmpty()
            ? readPartitions(
                rules.release() == Release.V0_8 ? topics(List.of(own)) : topics(members.values()))
            : rules.given();
    listMembers(); // Once more, only for the listing of consumers, as the original.
    return GroupView.copyOf(members, topics);
  }

  private Map<String, PartitionSet> readPartitions(SortedSet<String> names) {
    Map<String, PartitionSet> topics = new TreeMap<>();
    for (String topic : names) {
      String path = ZnodePaths.topic(topic);
      znodes.data(path).ifPresent(node -> topics.put(topic, partitions(path, node)));
    }
    return topics;
  }

  /** No JSON, or JSON without partitions, is no error to the original, and easily overlooked. */
  private PartitionSet partitions(String path, Znodes.Node node) {
    PartitionSet partitions =
        unreadable.demand(node, payload -> TopicPayload.partitions(path, payload, json()));
    if (partitions.isEmpty()) {
      byte[] payload = node.data();
      String text = payload == null ? "" : new String(payload, UTF_8);
      unreadable.report(
          node,
          new BadPayloadException(path, text, "a topic with partitions"),
          "nobody owns any of it");
    }
    return partitions;
  }

  private static SortedSet<String> topics(Collection<Subscription> subscriptions) {
    return subscriptions.stream()
        .flatMap(subscription -> subscription.streams().keySet().stream())
        .collect(toCollection(TreeSet::new));
  }

  private JsonDialect json() {
    return rules.release().json();
  }

  List<String> listTopics() {
    if (!rules.given().isEmpty()) {
      return List.copyOf(rules.given().keySet());
    }
    return znodes.children(ZnodePaths.BROKER_TOPICS).orElse(List.of());
  }

  private List<String> listMembers() {
    String ids = ZnodePaths.ids(group);
    return znodes
        .children(ids)
        .orElseThrow(() -> new RegistryException(ids + ": no such znode", null));
  }
}
