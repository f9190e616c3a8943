package io.rebalancer.bridge.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.bridge.group.OffsetChange;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.bridge.report.GroupTables;
import io.rebalancer.bridge.report.GroupTables.Table;
import io.rebalancer.bridge.zookeeper.OffsetNodes;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.znode.ZnodePaths;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/**
 * How changed offsets are shown and, on {@code --execute}, written: one by one, each only if its
 * node still is as it was read, each logged with the value before and after.
 */
final class OffsetChanges {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetChanges.class);

  @Option(names = "--execute", description = "Write. Without it only what would change is shown.")
  private boolean execute;

  @Option(
      names = "--force",
      description =
          "Write also while the group has live members. They do not see it before they rebalance, and"
              + " their next commit overwrites it.")
  private boolean force;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json (default: ${DEFAULT-VALUE}).")
  private Output output;

  /** Before anything is touched. */
  void check() {
    if (force && !execute) {
      throw new UsageException("--force goes with --execute");
    }
  }

  /**
   * Shows or writes them.
   *
   * @param all how many offsets were looked at
   * @param live members there are
   */
  int run(
      PrintWriter out,
      PrintWriter err,
      GroupId group,
      OffsetNodes nodes,
      List<OffsetChange> changes,
      int all,
      SortedSet<String> live) {
    if (!live.isEmpty() && !force) {
      String members = LiveMembers.sentence(group, live);
      if (execute) {
        err.println("rebalancer: --execute: " + members + "; stop them first, or add --force");
        return ExitCode.INVALID;
      }
      err.println("rebalancer: " + members + ": --execute would be refused");
    }
    Table table = table(group, changes);
    List<String> lines = table.lines();
    boolean json = output == Output.json;
    ArrayNode done = new ObjectMapper().createArrayNode();
    if (!json && !changes.isEmpty()) {
      out.print(lines.get(0) + "\n");
    }
    int refused = 0;
    for (int i = 0; i < changes.size(); i++) {
      OffsetChange change = changes.get(i);
      if (execute) {
        if (!nodes.apply(group, change)) {
          err.println(
              "rebalancer: "
                  + ZnodePaths.offset(group, change.partition())
                  + ": has changed since it was read, and is left alone");
          refused++;
          continue;
        }
        LOG.info(
            "group {}, {}: offset {} -> {}",
            group,
            change.partition(),
            change.before() == null ? "none" : before(change),
            change.after() == null ? "none" : after(change));
      }
      if (json) {
        row(done.addObject(), change);
      } else {
        out.print(lines.get(i + 1) + "\n");
        out.flush();
      }
    }
    if (json) {
      ObjectNode result = new ObjectMapper().createObjectNode();
      result.put("group", group.value()).put("executed", execute).set("changes", done);
      out.println(result.put("unchanged", all - changes.size()).put("refused", refused));
    } else {
      out.println(
          execute
              ? "%s: %d of %d offsets changed".formatted(group, changes.size() - refused, all)
              : "%s: %d of %d offsets would change; nothing is written without --execute"
                  .formatted(group, changes.size(), all));
    }
    return refused == 0 ? ExitCode.DONE : ExitCode.INVALID;
  }

  private static Table table(GroupId group, List<OffsetChange> changes) {
    List<List<String>> rows = new ArrayList<>();
    for (OffsetChange change : changes) {
      rows.add(
          List.of(
              group.value(),
              change.partition().topic(),
              Integer.toString(change.partition().partition()),
              before(change),
              after(change)));
    }
    return new Table(
        List.of("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "NEW-OFFSET"), Set.of(), rows);
  }

  private static String before(OffsetChange change) {
    StoredOffsets.Node node = change.before();
    return node == null ? GroupTables.UNKNOWN : node.shown();
  }

  private static String after(OffsetChange change) {
    Long after = change.after();
    return after == null ? GroupTables.UNKNOWN : after.toString();
  }

  private static void row(ObjectNode row, OffsetChange change) {
    row.put("topic", change.partition().topic()).put("partition", change.partition().partition());
    StoredOffsets.Node node = change.before();
    if (node == null) {
      row.putNull("current-offset");
    } else if (node.offset() == null) {
      row.put("current-offset", node.payload());
    } else {
      row.put("current-offset", node.offset());
    }
    row.put("new-offset", change.after());
  }
}
