package io.rebalancer.bridge.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.report.GroupTables;
import io.rebalancer.bridge.report.GroupTables.Table;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.GroupId;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer groups}: ZooKeeper-based groups, as kafka-consumer-groups shows them. */
@Command(
    name = "groups",
    description = "Lists and describes the consumer groups of the historical layout.",
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

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Action action;

  static final class Action {
    @Option(names = "--list", description = "List all groups.")
    private boolean list;

    @Option(names = "--describe", description = "Describe --group.")
    private boolean describe;
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
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json (default: ${DEFAULT-VALUE}).")
  private Output output;

  @Override
  public Integer call() {
    if (action.describe && group == null) {
      throw new UsageException("--group is missing");
    }
    if (action.list && view != null) {
      throw new UsageException("--offsets, --members and --state go with --describe");
    }
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(zookeeper)) {
      GroupNodes groups =
          new GroupNodes(connection, new ClusterNodes(connection, Clock.systemUTC()));
      return action.list ? list(groups.groups()) : describe(groups);
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

  private int describe(GroupNodes groups) {
    GroupId wanted = group;
    Optional<GroupSnapshot> found = wanted == null ? Optional.empty() : groups.read(wanted);
    if (found.isEmpty()) {
      spec.commandLine().getErr().println("rebalancer: --group: " + wanted + " does not exist");
      return ExitCode.INVALID;
    }
    found.get().unreadable().forEach(spec.commandLine().getErr()::println);
    Table table =
        view != null && view.members
            ? GroupTables.members(found.get())
            : view != null && view.state
                ? GroupTables.state(found.get())
                : GroupTables.offsets(found.get());
    PrintWriter out = spec.commandLine().getOut();
    if (output == Output.json) {
      out.println(json(table));
    } else {
      out.print(table);
      out.flush();
    }
    return ExitCode.DONE;
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
