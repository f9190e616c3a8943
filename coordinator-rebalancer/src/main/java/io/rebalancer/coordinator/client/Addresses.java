package io.rebalancer.coordinator.client;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** How addresses, and what keeps a connection from them, are written in messages. */
final class Addresses {

  private Addresses() {}

  /** As it was configured or named, looked up or not; an IPv6 address in brackets. */
  static String text(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Why there is no connection, without the address: Netty appends it as Java writes it ({@code
   * AbstractChannel.annotateConnectException}, 4.2), and Java says a host's name and no more when
   * there is no such host.
   */
  static String refusal(Throwable failure) {
    return failure instanceof UnknownHostException
        ? "unknown host"
        : Causes.message(failure).replaceFirst(": \\S*/\\S+:\\d+$", "");
  }
}
