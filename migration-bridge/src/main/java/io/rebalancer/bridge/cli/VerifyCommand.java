package io.rebalancer.bridge.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.group.OwnershipCheck;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.GroupId;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code rebalancer verify}: is every partition of a ZooKeeper-based group owned, and by a live
 * member?
 */
@Command(
    name = "verify",
    description = {
      "Checks that live members own every partition of every subscribed topic.",
      "Each has to have an owner node, and its owner to be a registered thread. Names the offenders and"
          + " exits with 1 if there are any."
    },
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private GroupFlags of;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json (default: ${DEFAULT-VALUE}).")
  private Output output;

  @Override
  public Integer call() {
    GroupId group = of.group();
    try (ZooKeeperConnection connection = of.open()) {
      GroupNodes groups =
          new GroupNodes(connection, new ClusterNodes(connection, Clock.systemUTC()));
      Optional<GroupSnapshot> found = groups.read(group);
      if (found.isEmpty()) {
        spec.commandLine().getErr().println("rebalancer: --group: " + groups.absence(group));
        return ExitCode.INVALID;
      }
      List<String> offenders = OwnershipCheck.offenders(found.get());
      print(found.get(), offenders);
      return offenders.isEmpty() ? ExitCode.DONE : ExitCode.INVALID;
    }
  }

  private void print(GroupSnapshot snapshot, List<String> offenders) {
    PrintWriter out = spec.commandLine().getOut();
    int topics = OwnershipCheck.subscribedTopics(snapshot).size();
    if (output == Output.json) {
      ObjectNode result = new ObjectMapper().createObjectNode();
      result.put("group", of.group().value()).put("valid", offenders.isEmpty());
      result.put("members", snapshot.members().size()).put("topics", topics);
      offenders.forEach(result.putArray("offenders")::add);
      out.println(result);
      return;
    }
    offenders.forEach(out::println);
    out.printf(
        "%s: %s, %d members, %d topics%n",
        of.group(),
        offenders.isEmpty() ? "in order" : offenders.size() + " offenders",
        snapshot.members().size(),
        topics);
  }
}
