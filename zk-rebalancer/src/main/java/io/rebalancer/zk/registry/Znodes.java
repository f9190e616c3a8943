package io.rebalancer.zk.registry;

import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.security.SecureHandles;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Single requests in the original's words: each method is one request on the wire, and sets a watch
 * when the path is one that is watched (zkclient: {@code hasListeners}).
 */
final class Znodes {

  private static final Logger log = LoggerFactory.getLogger(Znodes.class);

  private static final int ANY_VERSION = -1;

  /** ZooKeeper's own, of client and server. */
  private static final int DEFAULT_MAX_BUFFER = 0xfffff;

  /** Header, ACL and, when it is read back, the Stat; and a chroot. */
  private static final int REQUEST_OVERHEAD = 1_024;

  private final CuratorFramework client;
  private final Requests requests;
  private final CountingWatcher watcher;
  private final SecureHandles handles;
  private final AtomicBoolean warned = new AtomicBoolean();
  private final Set<String> watched = ConcurrentHashMap.newKeySet();

  Znodes(
      CuratorFramework client, Requests requests, CountingWatcher watcher, SecureHandles handles) {
    this.handles = handles;
    this.client = client;
    this.requests = requests;
    this.watcher = watcher;
  }

  /** A znode's payload with its Stat. */
  record Node(byte @Nullable [] data, Stat stat) {}

  void watch(String path) {
    watched.add(path);
  }

  /** A watch that is set stays until it fires. */
  void unwatch(String path) {
    watched.remove(path);
  }

  boolean isWatched(String path) {
    return watched.contains(path);
  }

  boolean exists(String path) {
    return stat(path).isPresent();
  }

  /** Empty when the node does not exist. */
  Optional<Stat> stat(String path) {
    return ask(
        path,
        () ->
            Optional.ofNullable(
                watched.contains(path)
                    ? client.checkExists().usingWatcher(watcher).forPath(path)
                    : client.checkExists().forPath(path)));
  }

  /** A znode's children with its Stat. */
  record Listing(List<String> names, Stat stat) {}

  /** Empty when the node does not exist. */
  Optional<List<String>> children(String path) {
    return listing(path).map(Listing::names);
  }

  /** Empty when the node does not exist. */
  Optional<Listing> listing(String path) {
    return askForNode(
        path,
        () -> {
          Stat stat = new Stat();
          List<String> names =
              watched.contains(path)
                  ? client.getChildren().storingStatIn(stat).usingWatcher(watcher).forPath(path)
                  : client.getChildren().storingStatIn(stat).forPath(path);
          return new Listing(names, stat);
        });
  }

  /** Empty when the node does not exist. */
  Optional<Node> data(String path) {
    return askForNode(
        path,
        () -> {
          Stat stat = new Stat();
          byte[] data =
              watched.contains(path)
                  ? client.getData().storingStatIn(stat).usingWatcher(watcher).forPath(path)
                  : client.getData().storingStatIn(stat).forPath(path);
          return new Node(data, stat);
        });
  }

  /** A node that has to exist. */
  Node demand(String path) {
    return data(path).orElseThrow(() -> new RegistryException(path + ": no such znode", null));
  }

  /** What creating a node came to. */
  enum Created {
    NEW,
    EXISTS,
    NO_PARENT
  }

  /** Fills {@code stat} when the node is new. */
  Created create(String path, byte @Nullable [] data, CreateMode mode, Stat stat) {
    demandSendable(path, data);
    try {
      requests.write(
          () ->
              client
                  .create()
                  .storingStatIn(stat)
                  .withMode(mode)
                  .withACL(handles.acl(path))
                  .forPath(path, data));
      return Created.NEW;
    } catch (KeeperException.NodeExistsException e) {
      return Created.EXISTS;
    } catch (KeeperException.NoNodeException e) {
      return Created.NO_PARENT;
    } catch (KeeperException e) {
      throw failure(path, e);
    }
  }

  /** Creates what is missing above {@code path}, from below: try, and on NONODE one level up. */
  void createParents(String path) {
    String parent = path.substring(0, path.lastIndexOf('/'));
    if (parent.isEmpty()) {
      throw new RegistryException(
          "zookeeper.connect: "
              + client.getZookeeperClient().getCurrentConnectionString()
              + ": the chroot does not exist",
          null);
    }
    if (create(parent, null, CreateMode.PERSISTENT, new Stat()) == Created.NO_PARENT) {
      createParents(parent);
      create(parent, null, CreateMode.PERSISTENT, new Stat());
    }
  }

  /** A persistent node without a payload, and what is missing above it. */
  void createWithParents(String path) {
    createParents(path + "/");
  }

  /**
   * A server drops the connection of whoever sends it more, and a request that is repeated does so
   * for ever.
   */
  private static void demandSendable(String path, byte @Nullable [] data) {
    int limit = Integer.getInteger("jute.maxbuffer", DEFAULT_MAX_BUFFER) - REQUEST_OVERHEAD;
    if (data != null && data.length + path.length() > limit) {
      throw new RegistryException(
          path
              + ": "
              + data.length
              + " bytes (expected: at most "
              + (limit - path.length())
              + ", what jute.maxbuffer leaves for it)",
          null);
    }
  }

  /** Unconditionally; false when there is no such node. */
  boolean setData(String path, byte[] data) {
    return setData(path, data, ANY_VERSION) == Written.DONE;
  }

  /** What writing an existing node came to. */
  enum Written {
    DONE,
    OTHER_VERSION,
    NO_NODE
  }

  Written setData(String path, byte[] data, int version) {
    demandSendable(path, data);
    try {
      requests.write(() -> client.setData().withVersion(version).forPath(path, data));
      return Written.DONE;
    } catch (KeeperException.NoNodeException e) {
      return Written.NO_NODE;
    } catch (KeeperException.BadVersionException e) {
      return Written.OTHER_VERSION;
    } catch (KeeperException e) {
      throw failure(path, e);
    }
  }

  /** Unconditionally; a missing node is fine. */
  void delete(String path) {
    try {
      requests.write(
          () -> {
            client.delete().forPath(path);
            return path;
          });
    } catch (KeeperException.NoNodeException e) {
      // Gone already.
    } catch (KeeperException e) {
      throw failure(path, e);
    }
  }

  /** False when the node has another version; a missing node is fine. */
  boolean delete(String path, int version) {
    try {
      requests.write(
          () -> {
            client.delete().withVersion(version).forPath(path);
            return path;
          });
      return true;
    } catch (KeeperException.NoNodeException e) {
      return true; // Gone already.
    } catch (KeeperException.BadVersionException e) {
      return false;
    } catch (KeeperException e) {
      throw new RegistryException(path + ": " + e.code(), e);
    }
  }

  private <T> T ask(String path, Callable<T> request) {
    try {
      return requests.read(request);
    } catch (KeeperException e) {
      throw failure(path, e);
    }
  }

  private <T> Optional<T> askForNode(String path, Callable<T> request) {
    try {
      return Optional.of(requests.read(request));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (KeeperException e) {
      throw failure(path, e);
    }
  }

  /** An ACL that refuses this consumer refuses it each time: worth one warning. */
  private RegistryException failure(String path, KeeperException e) {
    String message = path + ": " + e.code();
    switch (e.code()) {
      case NOAUTH -> {
        message += ": its ACL refuses " + handles.login();
        if (!warned.getAndSet(true)) {
          log.warn("{}", message);
        }
      }
      case INVALIDACL -> message += ": zookeeper.set.acl needs a login that the server knows";
      case AUTHFAILED -> message += ": ZooKeeper refused the login: " + handles.login();
      default -> {
        // The code says it all.
      }
    }
    return new RegistryException(message, e);
  }
}
