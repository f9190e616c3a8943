package io.rebalancer.bridge.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
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

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "no action given (expected: export, import or reset)");
  }
}
