package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.group.OffsetChange;
import io.rebalancer.bridge.group.OffsetLines;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.bridge.runtime.UnusableFileException;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.OffsetNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer offsets import}: Kafka's {@code ImportZkOffsets}, with a look before it. */
@Command(
    name = "import",
    description = {
      "Sets a group's offsets to those in a file of the format of ExportZkOffsets.",
      "The whole file is checked before anything is written. Empty lines are passed over. Offsets that"
          + " are not in it stay as they are."
    },
    mixinStandardHelpOptions = true)
final class OffsetsImportCommand implements Callable<Integer> {

  private static final int NAMED_LINES = 20;

  @Spec private CommandSpec spec;

  @Mixin private GroupFlags of;

  @Option(
      names = "--input-file",
      required = true,
      paramLabel = "FILE",
      description = "Lines /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET.")
  private Path file;

  @Mixin private OffsetChanges changes;

  @Override
  public Integer call() {
    changes.check();
    OffsetLines lines = OffsetLines.parse(of.group(), read(file));
    PrintWriter err = spec.commandLine().getErr();
    if (!lines.problems().isEmpty()) {
      lines.problems().stream()
          .limit(NAMED_LINES)
          .forEach(problem -> err.println("rebalancer: " + file + ", " + problem));
      err.printf(
          "rebalancer: --input-file: %s has %d lines that cannot be used; nothing is written%n",
          file, lines.problems().size());
      return ExitCode.USAGE;
    }
    if (lines.offsets().isEmpty()) {
      throw new UsageException("--input-file: " + file + " holds no offsets");
    }
    try (ZooKeeperConnection connection = of.open()) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      OffsetNodes nodes = new OffsetNodes(connection);
      warnOfUnknown(cluster.topics(), lines.offsets().keySet(), err);
      StoredOffsets now = nodes.read(of.group());
      return changes.run(
          spec.commandLine().getOut(),
          err,
          of.group(),
          nodes,
          OffsetChange.between(now, lines.offsets()),
          lines.offsets().size(),
          new GroupNodes(connection, cluster).liveMembers(of.group()));
    }
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file, UTF_8);
    } catch (NoSuchFileException e) {
      throw new UsageException("--input-file: " + file + " does not exist");
    } catch (CharacterCodingException e) {
      throw new UsageException("--input-file: " + file + " is not UTF-8 text");
    } catch (IOException e) {
      throw new UsageException(
          "--input-file: " + file + " cannot be read: " + UnusableFileException.reason(e));
    }
  }

  /** Offsets may be put there before their topic is: this is no error. */
  private static void warnOfUnknown(
      SortedMap<String, PartitionSet> topics, Iterable<TopicPartition> wanted, PrintWriter err) {
    for (TopicPartition partition : wanted) {
      PartitionSet known = topics.get(partition.topic());
      if (known == null || !known.contains(partition.partition())) {
        err.println("rebalancer: " + partition + ": no such partition below /brokers/topics");
      }
    }
  }
}
