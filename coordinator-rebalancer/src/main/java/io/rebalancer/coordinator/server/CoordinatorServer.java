package io.rebalancer.coordinator.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The listener: one acceptor hands connections round robin to a fixed set of event loops. */
public final class CoordinatorServer implements AutoCloseable {

  private static final int BACKLOG = 4096;

  private final int maxFrameBytes;
  private final Duration maxIdle;
  private final EventLoopGroup loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listener;
  private volatile @Nullable RequestRouter router;

  /**
   * Binds, but accepts nobody until {@link #serve} or {@link #turnAway}: so the port is known, and
   * known to be free, before anything is done in the coordinator's name.
   *
   * @param maxFrameBytes of a request ({@code socket.request.max.bytes})
   * @param maxIdle of a connection on which no answer is awaited ({@code connections.max.idle.ms})
   * @throws IOException if the address cannot be had
   */
  public CoordinatorServer(
      InetSocketAddress address, int networkLoops, int maxFrameBytes, Duration maxIdle)
      throws IOException {
    this.maxFrameBytes = maxFrameBytes;
    this.maxIdle = maxIdle;
    loops =
        new MultiThreadIoEventLoopGroup(
            networkLoops,
            new DefaultThreadFactory("coordinator-network", true),
            NioIoHandler.newFactory());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
      Throwable cause = bound.cause();
      throw new IOException(
          address.isUnresolved() ? "the name does not resolve" : cause.getMessage(), cause);
    }
    listener = bound.channel();
  }

  private void accept(SocketChannel channel) {
    RequestRouter answers = router;
    if (answers == null) {
      channel.close();
      return;
    }
    connections.add(channel);
    channel
        .pipeline()
        .addLast(
            new IdleStateHandler(0, 0, maxIdle.toMillis(), TimeUnit.MILLISECONDS),
            new FrameDecoder(maxFrameBytes),
            new Connection(answers));
  }

  /** Until {@link #serve} connections are closed at once, so that clients try another address. */
  public void turnAway() {
    read();
  }

  /** Begins to accept connections. To be called once. */
  public void serve(RequestRouter answers) {
    router = answers;
    read();
  }

  private void read() {
    listener.config().setAutoRead(true);
    listener.read();
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Closes the listener and every connection; returns when its threads are done. Idempotent. */
  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    connections.close().awaitUninterruptibly();
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
