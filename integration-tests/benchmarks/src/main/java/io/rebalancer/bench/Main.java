package io.rebalancer.bench;

/** x. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    org.openjdk.jmh.Main.main(args);
  }
}
