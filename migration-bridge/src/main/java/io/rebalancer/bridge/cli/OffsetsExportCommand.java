package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.group.OffsetLines;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.bridge.runtime.UnusableFileException;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.OffsetNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer offsets export}: Kafka's {@code ExportZkOffsets} for one group. */
@Command(
    name = "export",
    description = {
      "Writes a group's offsets in the format of ExportZkOffsets.",
      "That is a line /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET each, by topic and partition."
          + " Offsets that cannot be read are named, left out, and make the exit code 1."
    },
    mixinStandardHelpOptions = true)
final class OffsetsExportCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private GroupFlags of;

  @Option(
      names = "--output-file",
      paramLabel = "FILE",
      description = "A file that does not exist yet (default: standard output).")
  private @Nullable Path file;

  @Override
  public Integer call() {
    if (file != null && Files.exists(file)) {
      throw exists(file);
    }
    StoredOffsets stored;
    try (ZooKeeperConnection connection = of.open()) {
      GroupNodes groups =
          new GroupNodes(connection, new ClusterNodes(connection, Clock.systemUTC()));
      if (!groups.exists(of.group())) {
        return failed("--group: " + groups.absence(of.group()));
      }
      stored = new OffsetNodes(connection).read(of.group());
    }
    List<String> lines = new ArrayList<>();
    stored
        .readable()
        .forEach(
            (partition, offset) -> lines.add(OffsetLines.format(of.group(), partition, offset)));
    PrintWriter out = spec.commandLine().getOut();
    if (file == null) {
      lines.forEach(line -> out.print(line + "\n"));
      out.flush();
    } else {
      write(file, lines);
      out.println(of.group() + ": " + lines.size() + " offsets written to " + file);
    }
    if (lines.isEmpty() && stored.unreadable().isEmpty()) {
      spec.commandLine().getErr().println("rebalancer: " + of.group() + " has no offsets");
    }
    if (stored.unreadable().isEmpty()) {
      return ExitCode.DONE;
    }
    stored.unreadable().forEach(spec.commandLine().getErr()::println);
    return failed(stored.unreadable().size() + " offsets cannot be read and are not in the export");
  }

  private static void write(Path file, List<String> lines) {
    try {
      Files.writeString(
          file,
          String.join("", lines.stream().map(line -> line + "\n").toList()),
          UTF_8,
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw exists(file);
    } catch (IOException e) {
      throw new UnusableFileException(
          "--output-file: " + file + " cannot be written: " + UnusableFileException.reason(e), e);
    }
  }

  private static UsageException exists(Path file) {
    return new UsageException("--output-file: " + file + " exists, and is not overwritten");
  }

  private int failed(String message) {
    spec.commandLine().getErr().println("rebalancer: " + message);
    return ExitCode.INVALID;
  }
}
