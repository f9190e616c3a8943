package io.rebalancer.bridge.cli;

/** What numbers on the command line must satisfy. */
final class Checks {

  /**
   * A topic's partitions are one znode of some 13 bytes each, of which ZooKeeper takes no more than
   * 1 MB.
   */
  static final int MOST_PARTITIONS = 60_000;

  private Checks() {}

  /** Throws {@link UsageException} that names the flag, the value and the bounds. */
  static void between(String flag, long value, long least, long most) {
    if (value < least || value > most) {
      throw new UsageException("%s: %d (expected: %d to %d)".formatted(flag, value, least, most));
    }
  }

  static void partitions(int value) {
    between("--partitions", value, 1, MOST_PARTITIONS);
  }

  /** Throws {@link UsageException} that names the flag, the value and the bound. */
  static void atLeast(String flag, long value, long least) {
    if (value < least) {
      throw new UsageException("%s: %d (expected: at least %d)".formatted(flag, value, least));
    }
  }
}
