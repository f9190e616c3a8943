package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.experiment.CancelledException;
import io.rebalancer.bridge.runtime.EnvironmentException;
import io.rebalancer.bridge.runtime.UnusableFileException;
import io.rebalancer.coordinator.CoordinatorStartException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line {@code rebalancer}. Errors are one line on standard error, never a stack trace.
 */
@Command(
    name = "rebalancer",
    description = "Who owns which partition, and what it costs to decide.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    subcommands = {
      CompareCommand.class,
      TopicsCommand.class,
      CoordinatorCommand.class,
      ConsumerCommand.class,
      GroupsCommand.class,
      VerifyCommand.class,
      OffsetsCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done and valid",
      "1:the run is invalid or a check failed",
      "2:usage or configuration, or a file that cannot be used",
      "3:ZooKeeper, coordinator or brokers not reachable, port taken",
      "130:interrupted"
    })
public final class Main implements Runnable {

  @Spec private CommandSpec spec;

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(writer(System.out), writer(System.err), args));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, UTF_8);
  }

  static CommandLine line() {
    return new CommandLine(new Main());
  }

  /** Runs one command and returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = line();
    line.setOut(out);
    line.setErr(err);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(Main::usageError);
    line.setExecutionExceptionHandler(Main::executionError);
    return line.execute(args);
  }

  private static int usageError(ParameterException e, String[] args) {
    CommandLine line = e.getCommandLine();
    line.getErr()
        .println(
            oneLine(
                "rebalancer: "
                    + withoutPrefix(String.valueOf(e.getMessage()))
                    + " (see "
                    + line.getCommandSpec().qualifiedName()
                    + " --help)"));
    return ExitCode.USAGE;
  }

  private static int executionError(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
    if (e instanceof CancelledException) {
      return ExitCode.INTERRUPTED; // Said by whoever was interrupted.
    }
    String message = e.getMessage() != null ? e.getMessage() : e.getClass().getName();
    line.getErr().println(oneLine("rebalancer: " + message));
    if (e instanceof UsageException || e instanceof UnusableFileException) {
      return ExitCode.USAGE;
    }
    return e instanceof EnvironmentException
            || e instanceof CoordinatorStartException
            || e instanceof UncheckedIOException
        ? ExitCode.ENVIRONMENT
        : ExitCode.INVALID;
  }

  private static String withoutPrefix(String message) {
    return message.startsWith("Error: ") ? message.substring("Error: ".length()) : message;
  }

  private static String oneLine(String message) {
    return message.replaceAll("\\s*\\R\\s*", " ");
  }

  /** Without a command there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }
}
