package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.GroupId;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which group of which ensemble a command is about. */
final class GroupFlags {

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
