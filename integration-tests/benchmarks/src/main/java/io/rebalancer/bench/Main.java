package io.rebalancer.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line {@code rebalancer bench}. Errors are one line on standard error. */
@Command(
    name = "rebalancer bench",
    description = "Times what we compute beside what kafka computes.",
    mixinStandardHelpOptions = true,
    subcommands = AssignorsCommand.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:one of ours did not end or did not fit",
      "2:usage",
      "3:the benchmark cannot run here",
      "130:interrupted"
    })
public final class Main implements Runnable {

  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int ENVIRONMENT = 3;

  @Spec private CommandSpec spec;

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(writer(System.out), writer(System.err), args));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, UTF_8);
  }

  /** Runs one command and returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = new CommandLine(new Main());
    line.setOut(out);
    line.setErr(err);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler((e, given) -> failed(e.getCommandLine(), e, USAGE));
    line.setExecutionExceptionHandler((e, at, given) -> failed(at, e, ENVIRONMENT));
    return line.execute(args);
  }

  private static int failed(CommandLine line, Exception e, int code) {
    String help =
        code == USAGE ? " (see " + line.getCommandSpec().qualifiedName() + " --help)" : "";
    String message = e.getMessage() != null ? e.getMessage() : e.getClass().getName();
    line.getErr().println(("rebalancer: " + message + help).replaceAll("\\s*\\R\\s*", " "));
    return code;
  }

  /** Without a command there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no benchmark named");
  }
}
