package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics from /brokers through the coordinator's only watch, a persistent recursive one. Its events
 * name the node that changed; only that node is read again. After a reconnect all is read again,
 * since events of the meantime may be missing.
 */
final class ZkTopicSource implements TopicSource {

  private static final Logger LOG = LoggerFactory.getLogger(ZkTopicSource.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TOPIC_PREFIX = ZnodePaths.BROKER_TOPICS + "/";

  private final ZkSession session;
  private final Consumer<Set<String>> listener;
  private final Watcher watcher = this::onEvent;
  private final Map<String, TopicInfo> topics = new HashMap<>();
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
        .thenCompose(watching -> session.children(ZnodePaths.BROKER_TOPICS))
        .exceptionally(ZkTopicSource::noneIfAbsent)
        .thenCompose(this::readAll);
  }

  private static <T> List<T> noneIfAbsent(Throwable failure) {
    if (cause(failure) instanceof KeeperException.NoNodeException) {
      return List.of();
    }
    throw new CompletionException(cause(failure));
  }

  private CompletableFuture<Void> readAll(List<String> names) {
    Map<String, TopicInfo> found = new HashMap<>();
    CompletableFuture<?>[] reads =
        names.stream()
            .map(
                name ->
                    readTopic(name)
                        .thenAccept(
                            topic -> {
                              synchronized (found) {
                                topic.ifPresent(info -> found.put(name, info));
                              }
                            }))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(reads).thenRun(() -> replaceAll(found));
  }

  private void replaceAll(Map<String, TopicInfo> found) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      Set<String> names = new HashSet<>(topics.keySet());
      names.addAll(found.keySet());
      for (String name : names) {
        TopicInfo now = found.get(name);
        if (now == null ? topics.remove(name) != null : !now.equals(topics.put(name, now))) {
          changed.add(name);
        }
      }
      catalog = TopicCatalog.of(topics);
    }
    tell(changed);
  }

  private void onEvent(WatchedEvent event) {
    session.observeDelivery(event);
    String path = event.getPath();
    if (event.getType() == Watcher.Event.EventType.None
        || path == null
        || !path.startsWith(TOPIC_PREFIX)
        || path.indexOf('/', TOPIC_PREFIX.length()) >= 0) {
      return; // Brokers and what lies below a topic decide nothing here.
    }
    String name = path.substring(TOPIC_PREFIX.length());
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

  private void replace(String name, Optional<TopicInfo> topic) {
    boolean changed;
    synchronized (this) {
      changed =
          topic.isPresent()
              ? !topic.get().equals(topics.put(name, topic.get()))
              : topics.remove(name) != null;
      if (changed) {
        catalog = TopicCatalog.of(topics);
      }
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

  private CompletableFuture<Optional<TopicInfo>> readTopic(String name) {
    return session
        .read(ZnodePaths.topic(name))
        .handle(
            (node, failure) -> {
              if (failure == null) {
                return decode(name, node.data());
              }
              if (cause(failure) instanceof KeeperException.NoNodeException) {
                return Optional.empty();
              }
              throw new CompletionException(cause(failure));
            });
  }

  /** A payload that cannot be read harms its own topic only. */
  private static Optional<TopicInfo> decode(String name, byte[] payload) {
    String path = ZnodePaths.topic(name);
    try {
      PartitionSet partitions = TopicPayload.partitions(path, payload);
      if (partitions.isEmpty()) {
        throw new BadPayloadException(path, new String(payload, UTF_8), "partitions");
      }
      return Optional.of(new TopicInfo(name, topicId(name, payload), partitions));
    } catch (BadPayloadException e) {
      LOG.warn("topic ignored: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Kafka 2.8 and later write the id into the topic's node (base64, {@code topic_id}); others have
   * none, and get one that follows from the name.
   */
  private static UUID topicId(String name, byte[] payload) {
    try {
      JsonNode id = MAPPER.readTree(new String(payload, UTF_8)).path("topic_id");
      if (id.isTextual()) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(id.asText()));
        return new UUID(bytes.getLong(), bytes.getLong());
      }
    } catch (JsonProcessingException | RuntimeException e) {
      LOG.warn("topic {}: its topic_id is no id; one made from its name is used", name);
    }
    return UUID.nameUUIDFromBytes(("rebalancer topic " + name).getBytes(UTF_8));
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
