package io.rebalancer.coordinator.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection to a server that speaks Kafka's protocol. Answers come in the order of the
 * requests, so only the oldest open request can be late: its time counts from when it became the
 * oldest. Confined to its event loop; futures complete there.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Failures close the connection, which says so.
final class CoordinatorConnection {

  /** Kafka's own limit for a request, socket.request.max.bytes. */
  private static final int MAX_FRAME_BYTES = 100 * 1024 * 1024;

  private static final String NOT_KAFKAS = "not Kafka's protocol: ";

  private record Pending(
      ApiKeys api,
      short version,
      int correlationId,
      Duration timeout,
      CompletableFuture<ApiMessage> answer) {}

  private final EventLoop loop;
  private final InetSocketAddress address;
  private final String clientId;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final CompletableFuture<String> closed = new CompletableFuture<>();
  private ApiVersionTable versions = ApiVersionTable.first(ApiVersionTable.newestApiVersions());
  private @Nullable Channel channel;
  private @Nullable ScheduledFuture<?> timer;
  private int lastCorrelationId;

  private CoordinatorConnection(EventLoop loop, InetSocketAddress address, String clientId) {
    this.loop = loop;
    this.address = address;
    this.clientId = clientId;
  }

  /**
   * Connects and agrees on versions.
   *
   * @param connected completes as soon as the server has accepted the connection
   */
  static CompletableFuture<CoordinatorConnection> open(
      EventLoop loop,
      InetSocketAddress address,
      String clientId,
      Duration timeout,
      CompletableFuture<Void> connected) {
    CoordinatorConnection connection = new CoordinatorConnection(loop, address, clientId);
    CompletableFuture<Void> accepted = new CompletableFuture<>();
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
            .handler(connection.pipeline())
            .connect(address);
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            connection.channel = connecting.channel();
            accepted.complete(null);
            connected.complete(null);
          } else {
            accepted.completeExceptionally(
                connection.failure(Addresses.refusal(done.cause()), done.cause()));
          }
        });
    return accepted
        .thenCompose(ok -> connection.agreeOnVersions(timeout))
        .thenApply(ok -> connection);
  }

  private IOException failure(String reason, @Nullable Throwable cause) {
    return new IOException(Addresses.text(address) + ": " + reason, cause);
  }

  private ChannelInitializer<Channel> pipeline() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel ch) {
        ch.pipeline()
            .addLast(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, 4, 0, 4))
            .addLast(new Answers());
      }
    };
  }

  /** A server that knows only older versions says so in version 0, with what it has (KIP-511). */
  private CompletableFuture<Void> agreeOnVersions(Duration timeout) {
    return this.<ApiVersionsResponseData>send(ApiKeys.API_VERSIONS, hello(), timeout)
        .thenCompose(
            first -> {
              ApiVersionTable offered = ApiVersionTable.of(first);
              versions = offered;
              return first.errorCode() == 0
                  ? CompletableFuture.completedFuture(first)
                  : this.<ApiVersionsResponseData>send(ApiKeys.API_VERSIONS, hello(), timeout);
            })
        .thenAccept(answer -> versions = ApiVersionTable.of(answer));
  }

  private static ApiVersionsRequestData hello() {
    String version = CoordinatorConnection.class.getPackage().getImplementationVersion();
    return new ApiVersionsRequestData()
        .setClientSoftwareName("rebalancer")
        .setClientSoftwareVersion(version == null ? "development" : version);
  }

  InetSocketAddress address() {
    return address;
  }

  /** Completes with the reason, also after {@link #close}. */
  CompletableFuture<String> closed() {
    return closed;
  }

  /** The answer, or an {@link IOException} when there is none: then the connection is closed. */
  <A extends ApiMessage> CompletableFuture<A> send(
      ApiKeys api, ApiMessage request, Duration timeout) {
    Channel open = channel;
    if (open == null || closed.isDone()) {
      return CompletableFuture.failedFuture(
          new IOException("not connected to " + Addresses.text(address)));
    }
    CompletableFuture<ApiMessage> answer = new CompletableFuture<>();
    try {
      short version = versions.version(api);
      int id = ++lastCorrelationId;
      ByteBuffer frame = Frames.encode(api, version, clientId, id, request);
      pending.addLast(new Pending(api, version, id, timeout, answer));
      armTimer();
      open.writeAndFlush(Unpooled.wrappedBuffer(frame));
    } catch (ApiVersionTable.UnsupportedApiException e) {
      close(Causes.message(e));
      answer.completeExceptionally(e);
    }
    @SuppressWarnings("unchecked") // Frames.decode makes the response that belongs to the request.
    CompletableFuture<A> typed = (CompletableFuture<A>) answer;
    return typed;
  }

  /** Answers still open fail. Idempotent. */
  void close(String reason) {
    if (!closed.complete(reason)) {
      return;
    }
    stopTimer();
    if (channel != null) {
      channel.close();
    }
    List<Pending> lost = new ArrayList<>(pending);
    pending.clear();
    lost.forEach(request -> request.answer().completeExceptionally(failure(reason, null)));
  }

  private void armTimer() {
    Pending oldest = pending.peekFirst();
    if (timer == null && oldest != null) {
      timer =
          loop.schedule(
              () -> close(oldest.api().name + " not answered in " + oldest.timeout()),
              oldest.timeout().toNanos(),
              TimeUnit.NANOSECONDS);
    }
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void answered(ByteBuffer frame) {
    Pending request = pending.pollFirst();
    if (request == null) {
      throw new IllegalArgumentException("an answer to no request");
    }
    stopTimer();
    armTimer();
    ApiMessage message;
    try {
      message = Frames.decode(request.api(), request.version(), request.correlationId(), frame);
    } catch (RuntimeException e) {
      request.answer().completeExceptionally(failure(NOT_KAFKAS + Causes.message(e), e));
      throw e;
    }
    request.answer().complete(message);
  }

  private final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
      if (closed.isDone()) {
        return; // What one read brought goes on being cut into frames after a close.
      }
      byte[] bytes = new byte[frame.readableBytes()];
      frame.readBytes(bytes);
      answered(ByteBuffer.wrap(bytes));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      close("connection closed by the server");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      String reason = Causes.message(cause);
      close(cause instanceof IOException ? reason : NOT_KAFKAS + reason);
    }
  }
}
