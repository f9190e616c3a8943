package io.rebalancer.zk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and ZooKeeper, and can be cut: alone, or refusing until it is healed; or
 * swallows everything until then.
 */
final class TcpProxy implements AutoCloseable {

  private final int target;
  private final ServerSocket listening;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean refusing;
  private volatile boolean swallowing;

  TcpProxy(int target) throws IOException {
    this.target = target;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String connectString() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  void cut() {
    open.forEach(TcpProxy::closeQuietly);
  }

  void cutAndRefuse() {
    refusing = true;
    cut();
  }

  /** Connections stay, and come about; nothing passes. */
  void swallow() {
    swallowing = true;
  }

  void heal() {
    refusing = false;
    if (swallowing) {
      cut(); // What has been swallowed is missing.
      swallowing = false;
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        if (refusing) {
          client.close();
          continue;
        }
        Socket server = new Socket();
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        open.add(client);
        open.add(server);
        start(() -> pump(client, server));
        start(() -> pump(server, client));
      } catch (IOException e) {
        // Closed, or the server is away: the client tries again.
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (!swallowing) {
          out.write(buffer, 0, n);
          out.flush();
        }
      }
    } catch (IOException e) {
      // Cut.
    } finally {
      closeQuietly(from);
      closeQuietly(to);
      open.remove(from);
      open.remove(to);
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "tcp-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Closed already.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }
}
