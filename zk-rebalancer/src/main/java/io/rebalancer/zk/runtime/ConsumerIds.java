package io.rebalancer.zk.runtime;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.UUID;

/** Ids for consumers that are given none (kafka 0.8-1.1, {@code ZookeeperConsumerConnector}). */
public final class ConsumerIds {

  private static final int RANDOM_LENGTH = 8;

  private ConsumerIds() {}

  /**
   * HOST-MILLIS-RANDOM. Where the host's name cannot be found the original does not start; this is
   * {@code localhost} then.
   */
  public static String generate() {
    String random = Long.toHexString(UUID.randomUUID().getMostSignificantBits());
    return host()
        + "-"
        + Clock.systemUTC().millis()
        + "-"
        + random.substring(0, Math.min(RANDOM_LENGTH, random.length()));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
