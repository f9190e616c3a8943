package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.Workspace;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where an experiment runs: an embedded server of its own, or a path of its own on a given
 * ensemble. Closing it leaves nothing behind.
 *
 * @param description for the result's environment
 */
record Ensemble(ConnectString connect, String description, boolean ours, AutoCloseable resource)
    implements AutoCloseable {

  static Ensemble open(@Nullable ConnectString given, String workspaceName) {
    return Optional.ofNullable(given)
        .map(ensemble -> workspace(ensemble, workspaceName))
        .orElseGet(Ensemble::embedded);
  }

  private static Ensemble embedded() {
    EmbeddedZooKeeper server = EmbeddedZooKeeper.start();
    return new Ensemble(
        ConnectString.parse(server.connectString()),
        "embedded, in a JVM of its own, forceSync=no",
        true,
        server);
  }

  private static Ensemble workspace(ConnectString given, String name) {
    Workspace workspace = Workspace.create(given, name);
    return new Ensemble(workspace.ensemble(), given.toString(), false, workspace);
  }

  @Override
  public void close() {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cannot close " + description, e);
    }
  }
}
