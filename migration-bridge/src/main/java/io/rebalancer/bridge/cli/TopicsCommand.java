package io.rebalancer.bridge.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.PartitionSet;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer topics}: sets the stage under /brokers. */
@Command(
    name = "topics",
    description =
        "Creates, lists, alters and deletes topics under /brokers in the historical layout.",
    mixinStandardHelpOptions = true)
final class TopicsCommand implements Callable<Integer> {

  private static final String LEGAL_TOPIC = "[a-zA-Z0-9._-]{1,249}";

  @Spec private CommandSpec spec;

  @Option(
      names = "--zookeeper",
      required = true,
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = "The ensemble to write to.")
  private ConnectString zookeeper;

  @Mixin private SecurityFlag security;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Action action;

  static final class Action {
    @Option(names = "--create", description = "Create --topic with --partitions.")
    private boolean create;

    @Option(names = "--list", description = "List all topics.")
    private boolean list;

    @Option(names = "--alter", description = "Give --topic that many --partitions in all.")
    private boolean alter;

    @Option(names = "--delete", description = "Delete --topic.")
    private boolean delete;
  }

  @Option(names = "--topic", paramLabel = "NAME", description = "The topic.")
  private @Nullable String topic;

  @Option(names = "--partitions", paramLabel = "N", description = "How many partitions.")
  private @Nullable Integer partitions;

  @Option(
      names = "--brokers",
      paramLabel = "N",
      description = "With --create: register stand-in brokers 1 to N first, where there are none.")
  private @Nullable Integer brokers;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json (default: ${DEFAULT-VALUE}).")
  private Output output;

  @Override
  public Integer call() {
    check();
    try (ZooKeeperConnection connection =
        action.create
            ? ZooKeeperConnection.openOrCreate(zookeeper, security.security())
            : ZooKeeperConnection.open(zookeeper, security.security())) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      if (action.create) {
        return create(cluster, topicName(), partitionCount());
      }
      if (action.alter) {
        return alter(cluster, topicName(), partitionCount());
      }
      if (action.delete) {
        return delete(cluster, topicName());
      }
      return list(cluster);
    }
  }

  /** Before anything is touched. */
  private void check() {
    if (!action.list) {
      String name = topicName();
      if (!isLegal(name)) {
        throw new UsageException(
            "--topic: \"" + name + "\" (expected: 1 to 249 ASCII alphanumerics, '.', '_' and '-')");
      }
    }
    if (action.create || action.alter) {
      Checks.partitions(partitionCount());
    }
    if (brokers != null) {
      if (!action.create) {
        throw new UsageException("--brokers goes with --create");
      }
      Checks.between("--brokers", brokers, 1, 1000);
    }
  }

  /** As Kafka names topics. */
  static boolean isLegal(String name) {
    return name.matches(LEGAL_TOPIC) && !name.equals(".") && !name.equals("..");
  }

  private String topicName() {
    if (topic == null) {
      throw new UsageException("--topic is missing");
    }
    return topic;
  }

  private int partitionCount() {
    if (partitions == null) {
      throw new UsageException("--partitions is missing");
    }
    return partitions;
  }

  private int create(ClusterNodes cluster, String name, int count) {
    if (brokers != null) {
      cluster.ensureBrokers(brokers);
    }
    if (cluster.brokers().isEmpty()) {
      return failed("--create: no broker is registered under /brokers/ids: add --brokers N");
    }
    if (!cluster.createTopic(name, count)) {
      return failed("--topic: " + name + " exists");
    }
    return done("created", name, count);
  }

  private int alter(ClusterNodes cluster, String name, int count) {
    Optional<PartitionSet> now = cluster.partitions(name);
    if (now.isEmpty()) {
      return failed("--topic: " + name + " does not exist");
    }
    if (count <= now.get().size()) {
      throw new UsageException(
          "--partitions: %d (expected: more than the %d that topic %s has)"
              .formatted(count, now.get().size(), name));
    }
    if (cluster.brokers().isEmpty()) {
      return failed("--alter: no broker is registered under /brokers/ids");
    }
    cluster.extendTopic(name, count);
    return done("altered", name, count);
  }

  private int delete(ClusterNodes cluster, String name) {
    if (!cluster.deleteTopic(name)) {
      return failed("--topic: " + name + " does not exist");
    }
    return done("deleted", name, 0);
  }

  private int list(ClusterNodes cluster) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.json) {
      ArrayNode topics = new ObjectMapper().createArrayNode();
      cluster
          .topics()
          .forEach(
              (name, set) -> topics.addObject().put("topic", name).put("partitions", set.size()));
      out.println(topics);
    } else {
      cluster.topics().forEach((name, set) -> out.println(name + "\t" + set.size()));
    }
    return ExitCode.DONE;
  }

  private int done(String what, String name, int count) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.json) {
      var line = new ObjectMapper().createObjectNode().put(what, name);
      out.println(count > 0 ? line.put("partitions", count) : line);
    } else {
      out.println(what + " " + name + (count > 0 ? " with " + count + " partitions" : ""));
    }
    return ExitCode.DONE;
  }

  private int failed(String message) {
    spec.commandLine().getErr().println("rebalancer: " + message);
    return ExitCode.INVALID;
  }
}
