package io.rebalancer.coordinator.store;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics, and the racks of their replicas, from /brokers through the coordinator's only watch, a
 * persistent recursive one. Its events name the node that changed; only that node is read again.
 * After a reconnect all is read again, since events of the meantime may be missing. The listener is
 * not told of racks.
 */
final class ZkTopicSource implements TopicSource {

  private static final Logger LOG = LoggerFactory.getLogger(ZkTopicSource.class);
  private static final String BROKER_PREFIX = ZnodePaths.BROKER_IDS + "/";
  private static final String TOPIC_PREFIX = ZnodePaths.BROKER_TOPICS + "/";

  private final ZkSession session;
  private final Consumer<Set<String>> listener;
  private final Watcher watcher = this::onEvent;
  private final Map<String, TopicInfo> topics = new HashMap<>();
  private final ReplicaRacks racks = new ReplicaRacks();
  private volatile TopicCatalog catalog = TopicCatalog.of(Map.of());

  /** {@code listener} is told, on a ZooKeeper thread, which topics changed, came or went. */
  ZkTopicSource(ZkSession session, Consumer<Set<String>> listener) {
    this.session = session;
    this.listener = listener;
  }

  @Override
  public TopicCatalog current() {
    return catalog;
  }

  /**
   * Sets the watch, then reads everything. Works when /brokers does not exist yet: the watch tells
   * of its coming.
   */
  CompletableFuture<Void> watchAndRead() {
    return session
        .watchRecursively(ZnodePaths.BROKERS, watcher)
        .thenCompose(watching -> children(ZnodePaths.BROKER_IDS))
        .thenCompose(this::readBrokers)
        .thenCompose(read -> children(ZnodePaths.BROKER_TOPICS))
        .thenCompose(this::readAll);
  }

  private CompletableFuture<List<String>> children(String path) {
    return session.children(path).exceptionally(ZkTopicSource::noneIfAbsent);
  }

  private static <T> List<T> noneIfAbsent(Throwable failure) {
    if (cause(failure) instanceof KeeperException.NoNodeException) {
      return List.of();
    }
    throw new CompletionException(cause(failure));
  }

  private CompletableFuture<Void> readBrokers(List<String> ids) {
    return CompletableFuture.allOf(
        ids.stream().map(this::readBroker).toArray(CompletableFuture<?>[]::new));
  }

  /** One that is gone keeps its rack, see {@link ReplicaRacks}. */
  private CompletableFuture<Void> readBroker(String id) {
    String path = BROKER_PREFIX + id;
    return session
        .read(path)
        .handle(
            (node, failure) -> {
              if (failure == null) {
                registered(id, rack(path, node.data()));
              } else if (!(cause(failure) instanceof KeeperException.NoNodeException)) {
                throw new CompletionException(cause(failure));
              }
              return null;
            });
  }

  private void registered(String id, Optional<String> rack) {
    int number;
    try {
      number = Integer.parseInt(id);
    } catch (NumberFormatException e) {
      return; // No broker: no replica is on it.
    }
    synchronized (this) {
      if (racks.broker(number, rack)) {
        catalog = TopicCatalog.of(topics, racks.ofTopics());
      }
    }
  }

  private static Optional<String> rack(String path, byte[] payload) {
    try {
      return BrokerRegistration.rack(path, payload);
    } catch (BadPayloadException e) {
      LOG.warn("a broker counts as one without a rack: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private CompletableFuture<Void> readAll(List<String> names) {
    Map<String, TopicNode> found = new HashMap<>();
    CompletableFuture<?>[] reads =
        names.stream()
            .map(
                name ->
                    readTopic(name)
                        .thenAccept(
                            topic -> {
                              synchronized (found) {
                                topic.ifPresent(node -> found.put(name, node));
                              }
                            }))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(reads).thenRun(() -> replaceAll(found));
  }

  private void replaceAll(Map<String, TopicNode> found) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      Set<String> names = new HashSet<>(topics.keySet());
      names.addAll(found.keySet());
      for (String name : names) {
        if (put(name, Optional.ofNullable(found.get(name)))) {
          changed.add(name);
        }
      }
      catalog = TopicCatalog.of(topics, racks.ofTopics());
    }
    tell(changed);
  }

  /** To be called with the lock held. */
  private boolean put(String name, Optional<TopicNode> topic) {
    racks.topic(name, topic.map(TopicNode::replicas).orElse(List.of()));
    return topic.isPresent()
        ? !topic.get().info().equals(topics.put(name, topic.get().info()))
        : topics.remove(name) != null;
  }

  private void onEvent(WatchedEvent event) {
    session.observeDelivery(event);
    String path = event.getPath();
    if (event.getType() == Watcher.Event.EventType.None || path == null) {
      return;
    }
    if (isBelow(TOPIC_PREFIX, path)) { // What lies below a topic decides nothing here.
      topicChanged(path.substring(TOPIC_PREFIX.length()));
    } else if (isBelow(BROKER_PREFIX, path)) {
      brokerChanged(path.substring(BROKER_PREFIX.length()));
    }
  }

  private static boolean isBelow(String prefix, String path) {
    return path.startsWith(prefix) && path.indexOf('/', prefix.length()) < 0;
  }

  private void brokerChanged(String id) {
    readBroker(id)
        .whenComplete(
            (read, failure) -> {
              if (failure != null) {
                // The connection is gone; everything is read again when it is back.
                LOG.info("broker {} not read: {}", id, cause(failure).getMessage());
              }
            });
  }

  private void topicChanged(String name) {
    readTopic(name)
        .whenComplete(
            (topic, failure) -> {
              if (failure == null) {
                replace(name, topic);
              } else {
                // The connection is gone; everything is read again when it is back.
                LOG.info("topic {} not read: {}", name, cause(failure).getMessage());
              }
            });
  }

  private void replace(String name, Optional<TopicNode> topic) {
    boolean changed;
    synchronized (this) {
      changed = put(name, topic);
      catalog = TopicCatalog.of(topics, racks.ofTopics());
    }
    if (changed) {
      tell(Set.of(name));
    }
  }

  private void tell(Set<String> changed) {
    if (!changed.isEmpty()) {
      listener.accept(Set.copyOf(changed));
    }
  }

  private CompletableFuture<Optional<TopicNode>> readTopic(String name) {
    return session
        .read(ZnodePaths.topic(name))
        .handle(
            (node, failure) -> {
              if (failure == null) {
                return TopicNode.decode(name, node.data());
              }
              if (cause(failure) instanceof KeeperException.NoNodeException) {
                return Optional.empty();
              }
              throw new CompletionException(cause(failure));
            });
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
