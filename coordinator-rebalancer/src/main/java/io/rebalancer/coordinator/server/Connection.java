package io.rebalancer.coordinator.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.wire.BadRequestException;
import io.rebalancer.coordinator.wire.Messages;
import io.rebalancer.coordinator.wire.Messages.Request;
import io.rebalancer.coordinator.wire.SupportedApis;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection. Answers leave in the order of their requests: one that is ready early
 * waits behind those before it. Everything here runs on the channel's event loop.
 */
final class Connection extends SimpleChannelInboundHandler<ByteBuffer> {

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** With so many requests unanswered nothing more is read from the client. */
  private static final int MAX_UNANSWERED = 100;

  /** A request's place in the order; its frame comes when it is answered. */
  private static final class Slot {
    @Nullable ByteBuffer frame;
  }

  private final RequestRouter router;
  private final Deque<Slot> unanswered = new ArrayDeque<>();
  private String software = "";

  Connection(RequestRouter router) {
    super(ByteBuffer.class);
    this.router = router;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuffer frame)
      throws BadRequestException {
    RequestHeader header = Messages.readHeader(frame);
    if (header.apiKey() == ApiKeys.API_VERSIONS) {
      apiVersions(context, header, frame);
    } else if (SupportedApis.includes(header.apiKey(), header.apiVersion())) {
      route(context, Messages.readBody(header, frame));
    } else {
      throw new BadRequestException(
          header.apiKey().name + " v" + header.apiVersion() + " is not offered");
    }
  }

  /** Of a version too new for us is answered in v0, which every client can read (KIP-511). */
  private void apiVersions(ChannelHandlerContext context, RequestHeader header, ByteBuffer frame)
      throws BadRequestException {
    boolean known = SupportedApis.includes(ApiKeys.API_VERSIONS, header.apiVersion());
    if (known) {
      ApiVersionsRequestData data =
          (ApiVersionsRequestData) Messages.readBody(header, frame).body();
      software = data.clientSoftwareName();
    }
    Slot slot = open(context);
    fill(
        context,
        slot,
        Messages.writeResponse(
            header.correlationId(),
            known ? header.apiVersion() : 0,
            SupportedApis.apiVersions(known ? Errors.NONE : Errors.UNSUPPORTED_VERSION)));
  }

  private void route(ChannelHandlerContext context, Request request) {
    Slot slot = open(context);
    String clientId = request.header().clientId();
    router.route(
        new RequestContext(
            request,
            new ClientInfo(clientId == null ? "" : clientId, host(context), software),
            answer -> answer(context, request, slot, answer),
            (delay, task) -> later(context, delay, task)));
  }

  /** On any thread. An answer that cannot be written must not harm who made it. */
  private void answer(
      ChannelHandlerContext context, Request request, Slot slot, ApiMessage answer) {
    ByteBuffer frame;
    try {
      frame = Messages.writeResponse(request.header().correlationId(), request.version(), answer);
    } catch (RuntimeException e) {
      LOG.error("no answer for {} v{}", request.key().name, request.version(), e);
      context.close();
      return;
    }
    if (context.executor().inEventLoop()) {
      fill(context, slot, frame);
    } else {
      context.executor().execute(() -> fill(context, slot, frame));
    }
  }

  private static void later(ChannelHandlerContext context, Duration delay, Runnable task) {
    context
        .executor()
        .schedule(
            () -> {
              if (context.channel().isActive()) {
                task.run();
              }
            },
            delay.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private Slot open(ChannelHandlerContext context) {
    Slot slot = new Slot();
    unanswered.add(slot);
    regulate(context);
    return slot;
  }

  private void fill(ChannelHandlerContext context, Slot slot, ByteBuffer frame) {
    slot.frame = frame;
    boolean written = false;
    for (Slot first = unanswered.peek();
        first != null && first.frame != null;
        first = unanswered.peek()) {
      unanswered.remove();
      context.write(framed(first.frame));
      written = true;
    }
    if (written) {
      context.flush();
      regulate(context);
    }
  }

  /** Reads no more from a client that asks faster than it is answered, or does not take answers. */
  private void regulate(ChannelHandlerContext context) {
    boolean read = unanswered.size() < MAX_UNANSWERED && context.channel().isWritable();
    if (context.channel().config().isAutoRead() != read) {
      context.channel().config().setAutoRead(read);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    regulate(context);
  }

  /** Told again after every such time, so that whoever waits now is looked at later. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent && unanswered.isEmpty()) {
      LOG.debug("connection of {} closed: idle", context.channel().remoteAddress());
      context.close();
    }
  }

  private static ByteBuf framed(ByteBuffer frame) {
    return Unpooled.wrappedBuffer(
        Unpooled.buffer(4, 4).writeInt(frame.remaining()), Unpooled.wrappedBuffer(frame));
  }

  private static String host(ChannelHandlerContext context) {
    SocketAddress peer = context.channel().remoteAddress();
    // Kafka shows a member's host with a slash before it, and its tools print it so.
    return peer instanceof InetSocketAddress address
        ? "/" + address.getAddress().getHostAddress()
        : "";
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("connection of {} broke", context.channel().remoteAddress(), cause);
    } else if (context.channel().isActive()) {
      LOG.info(
          "connection of {} closed: {}",
          context.channel().remoteAddress(),
          root(cause).getMessage());
    }
    context.close();
  }

  private static Throwable root(Throwable failure) {
    return failure.getCause() == null || failure instanceof BadRequestException
        ? failure
        : failure.getCause();
  }
}
