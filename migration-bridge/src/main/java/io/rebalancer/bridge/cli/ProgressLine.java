package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.experiment.Progress;
import java.io.PrintWriter;

/**
 * Progress on standard error: one line that updates itself on a terminal, plain lines elsewhere.
 */
final class ProgressLine implements Progress {

  private static final String TO_LINE_START_AND_CLEAR = "\r\033[K";

  private final PrintWriter err;
  private final boolean terminal;
  private boolean open;

  ProgressLine(PrintWriter err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  @Override
  public void at(int run, int runs, String engine, String scenario, String step) {
    String text = "[%d/%d] %s, %s: %s".formatted(run, runs, scenario, engine, step);
    if (terminal) {
      err.print(TO_LINE_START_AND_CLEAR + text);
      err.flush();
      open = true;
    } else {
      err.println(text);
    }
  }

  /** Leaves the line, so that what follows has one of its own. */
  void end() {
    if (open) {
      err.print(TO_LINE_START_AND_CLEAR);
      err.flush();
      open = false;
    }
  }
}
