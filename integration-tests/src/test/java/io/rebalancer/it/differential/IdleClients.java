package io.rebalancer.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * HOST PORT COUNT: opens so many connections, asks one question on each, and then nothing. Prints
 * {@code open COUNT}; at each line of its input {@code alive COUNT} of those that the other side
 * has not closed; ends with its input.
 */
final class IdleClients {

  /** ApiVersions of version 0, without a client id. */
  private static final byte[] QUESTION = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, -1, -1};

  private static final int AT_A_TIME = 500;

  private IdleClients() {}

  public static void main(String[] args) throws IOException {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    int count = Integer.parseInt(args[2]);
    List<SocketChannel> channels = new ArrayList<>();
    while (channels.size() < count) {
      int from = channels.size();
      for (int i = from; i < Math.min(count, from + AT_A_TIME); i++) {
        SocketChannel channel = SocketChannel.open(address);
        channels.add(channel);
        channel.write(ByteBuffer.wrap(QUESTION));
      }
      for (SocketChannel channel : channels.subList(from, channels.size())) {
        int length = read(channel, 4).getInt();
        read(channel, length);
        channel.configureBlocking(false);
      }
    }
    System.out.println("open " + channels.size());
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (in.readLine() != null) {
      int alive = 0;
      for (SocketChannel channel : channels) {
        alive += isOpen(channel) ? 1 : 0;
      }
      System.out.println("alive " + alive);
    }
  }

  private static ByteBuffer read(SocketChannel channel, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new IOException("expected an answer, found a closed connection");
      }
    }
    return bytes.flip();
  }

  private static boolean isOpen(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(1)) == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
