package io.rebalancer.bridge.cli;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.bridge.broker.BrokerLogs;
import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.group.LogRange;
import io.rebalancer.bridge.report.GroupTables;
import io.rebalancer.bridge.report.GroupTables.Table;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.GroupCleaner;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer groups}: ZooKeeper-based groups, as kafka-consumer-groups shows them. */
@Command(
    name = "groups",
    description = "Lists, describes and deletes the consumer groups of the historical layout.",
    mixinStandardHelpOptions = true)
final class GroupsCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--zookeeper",
      required = true,
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = "The ensemble that holds the groups.")
  private ConnectString zookeeper;

  @Mixin private SecurityFlag security;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Action action;

  static final class Action {
    @Option(names = "--list", description = "List all groups.")
    private boolean list;

    @Option(names = "--describe", description = "Describe --group.")
    private boolean describe;

    @Option(
        names = "--delete",
        description = "Delete --group with all its offsets; refused while it has live members.")
    private boolean delete;
  }

  @Option(
      names = "--group",
      paramLabel = "GROUP",
      converter = GroupOption.class,
      description = "The group.")
  private @Nullable GroupId group;

  @ArgGroup(exclusive = true)
  private @Nullable View view;

  static final class View {
    @Option(names = "--offsets", description = "With --describe: its partitions (the default).")
    private boolean offsets;

    @Option(names = "--members", description = "With --describe: its members.")
    private boolean members;

    @Option(names = "--state", description = "With --describe: its state.")
    private boolean state;
  }

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT[,...]",
      converter = BootstrapOption.class,
      description =
          "With --describe: brokers to ask where logs end, for LOG-END-OFFSET and LAG. They have to be"
              + " of kafka 2.1 or later: older ones are not asked by this client.")
  private @Nullable String bootstrapServer;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json (default: ${DEFAULT-VALUE}).")
  private Output output;

  @Override
  public Integer call() {
    if (!action.list && group == null) {
      throw new UsageException("--group is missing");
    }
    if (!action.describe && view != null) {
      throw new UsageException("--offsets, --members and --state go with --describe");
    }
    if (bootstrapServer != null
        && (!action.describe || (view != null && (view.members || view.state)))) {
      throw new UsageException("--bootstrap-server goes with --describe --offsets");
    }
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(zookeeper, security.security())) {
      GroupNodes groups =
          new GroupNodes(connection, new ClusterNodes(connection, Clock.systemUTC()));
      if (action.list) {
        return list(groups.groups());
      }
      GroupId wanted = requireNonNull(group);
      if (!groups.exists(wanted)) {
        return failed("--group: " + groups.absence(wanted));
      }
      return action.delete
          ? delete(wanted, groups, new GroupCleaner(connection))
          : describe(wanted, groups);
    }
  }

  private int list(List<String> groups) {
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.json) {
      ArrayNode names = new ObjectMapper().createArrayNode();
      groups.forEach(names::add);
      out.println(names);
    } else {
      groups.forEach(out::println);
    }
    return ExitCode.DONE;
  }

  private int delete(GroupId wanted, GroupNodes groups, GroupCleaner cleaner) {
    SortedSet<String> live = groups.liveMembers(wanted);
    if (!live.isEmpty()) {
      return failed("--delete: " + LiveMembers.sentence(wanted, live));
    }
    if (!cleaner.delete(wanted)) {
      return failed("--delete: " + wanted + " has changed meanwhile; look at it again");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        output == Output.json
            ? new ObjectMapper().createObjectNode().put("deleted", wanted.value())
            : "deleted " + wanted);
    return ExitCode.DONE;
  }

  private int failed(String message) {
    spec.commandLine().getErr().println("rebalancer: " + message);
    return ExitCode.INVALID;
  }

  private int describe(GroupId wanted, GroupNodes groups) {
    Optional<GroupSnapshot> found = groups.read(wanted);
    if (found.isEmpty()) {
      return failed("--group: " + groups.absence(wanted));
    }
    found.get().unreadable().forEach(spec.commandLine().getErr()::println);
    Table table =
        view != null && view.members
            ? GroupTables.members(found.get())
            : view != null && view.state
                ? GroupTables.state(found.get())
                : GroupTables.offsets(found.get(), logs(found.get()));
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.json) {
      out.println(json(table));
    } else {
      out.print(table);
      out.flush();
    }
    return ExitCode.DONE;
  }

  /** Of all partitions that are shown, as far as they are known. */
  private Map<TopicPartition, LogRange> logs(GroupSnapshot snapshot) {
    if (bootstrapServer == null) {
      return Map.of();
    }
    try (BrokerLogs brokers = new BrokerLogs(bootstrapServer)) {
      BrokerLogs.Logs logs = brokers.read(GroupTables.partitions(snapshot));
      PrintWriter err = spec.commandLine().getErr();
      logs.unknown()
          .forEach((partition, why) -> err.println("rebalancer: " + partition + ": " + why));
      return logs.ranges();
    }
  }

  private static ArrayNode json(Table table) {
    ArrayNode rows = new ObjectMapper().createArrayNode();
    for (List<String> row : table.rows()) {
      ObjectNode line = rows.addObject();
      for (int i = 0; i < row.size(); i++) {
        String field = table.head().get(i).toLowerCase(Locale.ROOT);
        String cell = row.get(i);
        if (cell.equals(GroupTables.UNKNOWN)) {
          line.putNull(field);
        } else if (table.numeric().contains(table.head().get(i))) {
          line.put(field, Long.parseLong(cell));
        } else {
          line.put(field, cell);
        }
      }
    }
    return rows;
  }
}
