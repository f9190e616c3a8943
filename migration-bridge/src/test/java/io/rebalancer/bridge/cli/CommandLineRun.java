package io.rebalancer.bridge.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** One command, run in this JVM, and what it left behind. */
record CommandLineRun(int exitCode, String out, String err) {

  static CommandLineRun of(List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            arguments.toArray(String[]::new));
    return new CommandLineRun(exitCode, out.toString(), err.toString());
  }
}
