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
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.common.PathUtils;
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
        demandExists(ZnodePaths.ids(group));
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

  private void demandExists(String path) {
    if (!znodes.exists(path)) {
      throw new RegistryException(path + ": gone, and all above it or some", null);
    }
  }

  /**
   * Empty when its own registration is gone. One that somebody has made unreadable is as good as
   * gone to a strict consumer, and deleted.
   */
  OptionalInt readBrokers(LongSupplier session) {
    if (!rules.given().isEmpty()) {
      return znodes.exists(ZnodePaths.id(group, self)) ? NO_BROKERS_NEEDED : OptionalInt.empty();
    }
    readBrokers(true);
    String path = ZnodePaths.id(group, self);
    Optional<Znodes.Node> own = znodes.data(path);
    if (own.isEmpty() || (rules.strict() && hasCleared(path, own.get(), session))) {
      return OptionalInt.empty();
    }
    subscription(demandReadable(path, own.get()));
    return OptionalInt.of(readBrokers(false));
  }

  private boolean hasCleared(String path, Znodes.Node own, LongSupplier session) {
    return isOf(own, session)
        && unreadable
            .tolerate(own, payload -> decode(path, payload), "its own: to be written again")
            .isEmpty()
        && znodes.delete(path, own.stat().getVersion());
  }

  /**
   * A broker that vanishes between listing and reading fails the first round only (D20), one that
   * cannot be read both. For a strict consumer it is there all the same: that is all an assignment
   * needs to know of it.
   */
  private int readBrokers(boolean demanded) {
    SortedSet<String> brokers =
        new TreeSet<>(znodes.children(ZnodePaths.BROKER_IDS).orElse(List.of()));
    int found = 0;
    for (String broker : brokers) {
      String path = ZnodePaths.BROKER_IDS + "/" + broker;
      Optional<Znodes.Node> node = znodes.data(path);
      if (node.isPresent()) {
        found++;
        readBroker(broker, path, node.get());
      } else if (demanded) {
        throw new RegistryException(path + ": no such znode", null);
      }
    }
    return found;
  }

  private void readBroker(String broker, String path, Znodes.Node node) {
    Function<byte @Nullable [], BrokerRegistration> decode =
        payload -> {
          if (!broker.matches("[+-]?\\d{1,9}")) {
            throw new BadPayloadException(path, text(payload), "a number for a broker's name");
          }
          return BrokerRegistration.decode(path, payload, json());
        };
    if (rules.strict()) {
      unreadable.tolerate(node, decode, "counted as a broker all the same");
    } else {
      unreadable.demand(node, decode);
    }
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
      readMember(member).ifPresent(subscription -> members.put(member, subscription));
    }
    Map<String, PartitionSet> topics =
        rules.given().isEmpty()
            ? readPartitions(
                own,
                rules.release() == Release.V0_8 ? topics(List.of(own)) : topics(members.values()))
            : rules.given();
    listMembers(); // Once more, only for the listing of consumers, as the original.
    return GroupView.copyOf(members, topics);
  }

  /** Empty when it is to be skipped. */
  private Optional<Subscription> readMember(MemberId member) {
    String path = ZnodePaths.id(group, member);
    Znodes.Node node = znodes.demand(path);
    if (!rules.strict()) {
      return Optional.of(named(path, node, subscription(demandReadable(path, node))));
    }
    Optional<Subscription> read = readIfReadable(path, node);
    return member.equals(self) || read.filter(s -> !s.streams().isEmpty()).isPresent()
        ? unfollowed(path, read)
        : followed(path, read);
  }

  private Optional<Subscription> readIfReadable(String path, Znodes.Node node) {
    return unreadable
        .tolerate(node, payload -> decode(path, payload), "skipped")
        .map(topics -> named(path, node, subscription(topics)));
  }

  /**
   * Members do not rewrite their registrations, and nobody watches them. But one that is skipped,
   * or has no topics, may be corrected by whoever wrote it, and no event would tell: a strict
   * consumer watches such.
   */
  private Optional<Subscription> followed(String path, Optional<Subscription> read) {
    if (znodes.isWatched(path)) {
      return read;
    }
    znodes.watch(path);
    return readIfReadable(path, znodes.demand(path));
  }

  private Optional<Subscription> unfollowed(String path, Optional<Subscription> read) {
    znodes.unwatch(path);
    return read;
  }

  /**
   * A topic whose name makes no znode path stops everybody who asks for its partitions; it is left
   * out by a strict consumer.
   */
  private Subscription named(String path, Znodes.Node node, Subscription subscription) {
    List<String> odd =
        subscription.streams().keySet().stream().filter(topic -> !makesAPath(topic)).toList();
    if (odd.isEmpty() || (rules.release() == Release.V0_8 && !rules.strict())) {
      return subscription; // 0.8 asks for its own topics only.
    }
    BadPayloadException found =
        new BadPayloadException(path, text(node.data()), "names that make a path, not " + odd);
    if (!rules.strict()) {
      unreadable.report(node, found, Unreadable.FAILS);
      throw found;
    }
    unreadable.report(node, found, "these topics are left out");
    Map<String, Integer> named = new TreeMap<>(subscription.streams());
    named.keySet().removeAll(odd);
    return Subscription.copyOf(named);
  }

  private static boolean makesAPath(String topic) {
    try {
      PathUtils.validatePath(ZnodePaths.topic(topic));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private Map<String, PartitionSet> readPartitions(Subscription own, SortedSet<String> names) {
    Map<String, PartitionSet> topics = new TreeMap<>();
    for (String topic : names) {
      String path = ZnodePaths.topic(topic);
      Optional<Znodes.Node> node = znodes.data(path);
      node.ifPresent(found -> topics.put(topic, partitions(path, found)));
      if (own.includes(topic)) {
        unreadable.missing(path, node.isEmpty());
      }
    }
    return topics;
  }

  /** No JSON, or JSON without partitions, is no error to the original, and easily overlooked. */
  private PartitionSet partitions(String path, Znodes.Node node) {
    PartitionSet partitions =
        rules.strict()
            ? readablePartitions(path, node)
            : unreadable.demand(node, payload -> TopicPayload.partitions(path, payload, json()));
    if (partitions.isEmpty()) {
      unreadable.report(
          node,
          new BadPayloadException(path, text(node.data()), "a topic with partitions"),
          "nobody owns any of it");
    }
    return partitions;
  }

  /** Owner nodes of the keys it ignores are no business of its own. */
  private PartitionSet readablePartitions(String path, Znodes.Node node) {
    TopicPayload.Readable readable = TopicPayload.readable(path, node.data());
    if (!readable.ignored().isEmpty() && !readable.partitions().isEmpty()) {
      unreadable.report(
          node,
          new BadPayloadException(
              path, text(node.data()), "plain partition numbers, not " + readable.ignored()),
          "these keys are ignored");
    }
    return readable.partitions();
  }

  private static String text(byte @Nullable [] payload) {
    return payload == null ? "" : new String(payload, UTF_8);
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
