package io.rebalancer.bridge.cli;

/** What numbers on the command line must satisfy. */
final class Checks {

  private Checks() {}

  /** Throws {@link UsageException} that names the flag, the value and the bounds. */
  static void between(String flag, long value, long least, long most) {
    if (value < least || value > most) {
      throw new UsageException("%s: %d (expected: %d to %d)".formatted(flag, value, least, most));
    }
  }
}
