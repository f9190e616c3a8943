package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.broker.BrokerLogs;
import io.rebalancer.bridge.group.LogRange;
import io.rebalancer.bridge.group.OffsetTarget;
import io.rebalancer.bridge.group.OffsetTarget.Kind;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.OffsetNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer offsets reset}: kafka-consumer-groups {@code --reset-offsets}. */
@Command(
    name = "reset",
    description = {
      "Puts a group's offsets elsewhere.",
      "With --bootstrap-server, offsets beyond a partition's log are put to its nearer end, as"
          + " kafka-consumer-groups does."
    },
    mixinStandardHelpOptions = true)
final class OffsetsResetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private GroupFlags of;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Where where;

  static final class Where {
    @Option(names = "--to-offset", paramLabel = "N", description = "To this offset.")
    private @Nullable Long toOffset;

    @Option(
        names = "--shift-by",
        paramLabel = "N",
        description = "By so many forwards, or backwards if negative.")
    private @Nullable Long shiftBy;

    @Option(
        names = "--to-earliest",
        description = "To where the log begins; needs --bootstrap-server.")
    private boolean toEarliest;

    @Option(names = "--to-latest", description = "To where the log ends; needs --bootstrap-server.")
    private boolean toLatest;

    @Option(
        names = "--delete",
        description = "Delete it: the consumer's auto.offset.reset decides where it begins.")
    private boolean delete;

    private OffsetTarget target() {
      if (toOffset != null) {
        Checks.atLeast("--to-offset", toOffset, 0);
        return new OffsetTarget(Kind.TO_OFFSET, toOffset);
      }
      if (shiftBy != null) {
        return new OffsetTarget(Kind.SHIFT_BY, shiftBy);
      }
      return new OffsetTarget(
          toEarliest ? Kind.TO_EARLIEST : toLatest ? Kind.TO_LATEST : Kind.DELETE, 0);
    }
  }

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Scope scope;

  static final class Scope {
    @Option(
        names = "--topic",
        paramLabel = "TOPIC[:P,P...]",
        converter = TopicOption.class,
        description = "A topic, or some partitions of it; may be repeated.")
    private @Nullable List<TopicOption.Topic> topics;

    @Option(names = "--all-topics", description = "Every partition that has an offset.")
    private boolean all;
  }

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT[,...]",
      converter = BootstrapOption.class,
      description = "Brokers to ask for the bounds of the logs; of kafka 2.1 or later.")
  private @Nullable String bootstrapServer;

  @Mixin private OffsetChanges changes;

  @Override
  public Integer call() {
    changes.check();
    OffsetTarget target = where.target();
    if (target.kind().needsLog() && bootstrapServer == null) {
      throw new UsageException(
          (where.toLatest ? "--to-latest" : "--to-earliest") + " needs --bootstrap-server");
    }
    try (ZooKeeperConnection connection = of.open()) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      GroupNodes groups = new GroupNodes(connection, cluster);
      PrintWriter err = spec.commandLine().getErr();
      if (!groups.exists(of.group())) {
        err.println("rebalancer: --group: " + groups.absence(of.group()));
        return ExitCode.INVALID;
      }
      OffsetNodes nodes = new OffsetNodes(connection);
      StoredOffsets now = nodes.read(of.group());
      SortedSet<TopicPartition> partitions = partitions(now, cluster, target.kind());
      OffsetTarget.Plan plan = target.plan(now, partitions, logs(partitions, target.kind(), err));
      if (!plan.problems().isEmpty()) {
        plan.problems().forEach(problem -> err.println("rebalancer: " + problem));
        err.println("rebalancer: nothing is written");
        return ExitCode.INVALID;
      }
      plan.notes().forEach(note -> err.println("rebalancer: " + note));
      return changes.run(
          spec.commandLine().getOut(),
          err,
          of.group(),
          nodes,
          plan.changes(),
          partitions.size(),
          groups.liveMembers(of.group()));
    }
  }

  /**
   * Those that exist; for {@code --delete} those that have an offset, whether they exist or not.
   */
  private SortedSet<TopicPartition> partitions(StoredOffsets now, ClusterNodes cluster, Kind kind) {
    if (scope.topics == null) {
      return new TreeSet<>(now.nodes().keySet());
    }
    SortedSet<TopicPartition> partitions = new TreeSet<>();
    SortedMap<String, PartitionSet> topics = cluster.topics();
    for (TopicOption.Topic topic : scope.topics) {
      SortedSet<TopicPartition> there = new TreeSet<>();
      if (kind == Kind.DELETE) {
        now.nodes().keySet().stream()
            .filter(partition -> partition.topic().equals(topic.name()))
            .forEach(there::add);
      } else if (topics.containsKey(topic.name())) {
        topics.get(topic.name()).forEach(n -> there.add(new TopicPartition(topic.name(), n)));
      }
      partitions.addAll(
          topic.among(there, kind == Kind.DELETE ? "has no offset" : "does not exist"));
    }
    return partitions;
  }

  private Map<TopicPartition, LogRange> logs(
      SortedSet<TopicPartition> partitions, Kind kind, PrintWriter err) {
    if (bootstrapServer == null || kind == Kind.DELETE) {
      return Map.of();
    }
    try (BrokerLogs brokers = new BrokerLogs(bootstrapServer)) {
      BrokerLogs.Logs logs = brokers.read(partitions);
      logs.unknown()
          .forEach((partition, why) -> err.println("rebalancer: " + partition + ": " + why));
      return logs.ranges();
    }
  }
}
