package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** A chroot of its own, whose znodes a test writes by hand and commands are run on. */
final class LegacyGroup implements AutoCloseable {

  private final String connect;
  private final CuratorFramework client;

  LegacyGroup(String server, String chroot) {
    connect = server + "/" + chroot;
    ZooKeeperConnection.openOrCreate(ConnectString.parse(connect)).close();
    client = CuratorFrameworkFactory.newClient(connect, new RetryOneTime(100));
    client.start();
  }

  String connect() {
    return connect;
  }

  /** Runs a command on it; arguments are split at blanks. */
  CommandLineRun run(String command) {
    List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ")));
    arguments.addAll(List.of("--zookeeper", connect));
    return CommandLineRun.of(arguments);
  }

  LegacyGroup put(String path, String payload) throws Exception {
    client.create().orSetData().creatingParentsIfNeeded().forPath(path, payload.getBytes(UTF_8));
    return this;
  }

  LegacyGroup putEphemeral(String path, String payload) throws Exception {
    client
        .create()
        .creatingParentsIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(path, payload.getBytes(UTF_8));
    return this;
  }

  void delete(String path) throws Exception {
    client.delete().deletingChildrenIfNeeded().forPath(path);
  }

  /** Payload and version of every znode below {@code path}. */
  SortedMap<String, String> below(String path) throws Exception {
    SortedMap<String, String> found = new TreeMap<>();
    collect(path, found);
    return found;
  }

  private void collect(String path, SortedMap<String, String> found) throws Exception {
    try {
      for (String child : client.getChildren().forPath(path)) {
        Stat stat = new Stat();
        String at = path + "/" + child;
        byte[] data = client.getData().storingStatIn(stat).forPath(at);
        found.put(at, (data == null ? "null" : new String(data, UTF_8)) + " v" + stat.getVersion());
        collect(at, found);
      }
    } catch (KeeperException.NoNodeException e) {
      // Nothing is there.
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
