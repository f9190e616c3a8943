package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.GroupId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rebalancer offsets}: what ZooKeeper-based groups have committed. */
@Command(
    name = "offsets",
    description = "Exports, imports and resets the offsets of groups of the historical layout.",
    mixinStandardHelpOptions = true,
    subcommands = {
      OffsetsExportCommand.class,
      OffsetsImportCommand.class,
      OffsetsResetCommand.class
    })
final class OffsetsCommand implements Runnable {

  @Spec private CommandSpec spec;

  /** Which group, of all three. */
  static final class Of {
    @Option(
        names = "--zookeeper",
        required = true,
        paramLabel = "HOST:PORT[/chroot]",
        converter = ZooKeeperOption.class,
        description = "The ensemble that holds the group.")
    private ConnectString zookeeper;

    @Mixin private SecurityFlag security;

    @Option(
        names = "--group",
        required = true,
        paramLabel = "GROUP",
        converter = GroupOption.class,
        description = "The group.")
    private GroupId group;

    ZooKeeperConnection open() {
      return ZooKeeperConnection.open(zookeeper, security.security());
    }

    GroupId group() {
      return group;
    }
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "no action given (expected: export, import or reset)");
  }
}
