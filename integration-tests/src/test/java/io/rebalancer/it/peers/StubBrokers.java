package io.rebalancer.it.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Sockets in place of brokers: they take connections and never answer, so that a consumer's leader
 * finder asks once after each rebalance, waits, and reads /brokers/ids no more. With closed ports
 * it would read them again every {@code refresh.leader.backoff.ms}.
 */
final class StubBrokers implements AutoCloseable {

  private final List<ServerSocket> servers = new ArrayList<>();
  private final List<Socket> connections = new ArrayList<>();

  StubBrokers(int count) {
    for (int i = 0; i < count; i++) {
      try {
        ServerSocket server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        servers.add(server);
        Thread thread = new Thread(() -> accept(server), "stub broker " + server.getLocalPort());
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        close();
        throw new UncheckedIOException(e);
      }
    }
  }

  private void accept(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        synchronized (connections) {
          connections.add(connection);
        }
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  /** In the order of broker ids, which begin at 1. */
  List<Integer> ports() {
    return servers.stream().map(ServerSocket::getLocalPort).toList();
  }

  @Override
  public void close() {
    synchronized (connections) {
      connections.forEach(StubBrokers::closeQuietly);
    }
    servers.forEach(StubBrokers::closeQuietly);
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      // Nobody is left to care.
    }
  }
}
