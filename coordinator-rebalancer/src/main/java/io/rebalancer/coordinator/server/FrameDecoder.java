package io.rebalancer.coordinator.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Cuts the stream into frames: four bytes of length, then that many bytes, handed on as a {@link
 * ByteBuffer} of their own. A length that cannot be ends the connection, since nothing says where
 * the next frame begins.
 */
final class FrameDecoder extends ByteToMessageDecoder {

  private static final int LENGTH_BYTES = 4;

  private final int maxFrameBytes;

  FrameDecoder(int maxFrameBytes) {
    this.maxFrameBytes = maxFrameBytes;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < LENGTH_BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 0 || length > maxFrameBytes) {
      in.skipBytes(in.readableBytes());
      throw new CorruptedFrameException(
          "frame length " + length + " (expected: 0 to " + maxFrameBytes + ")");
    }
    if (in.readableBytes() < LENGTH_BYTES + length) {
      return;
    }
    in.skipBytes(LENGTH_BYTES);
    ByteBuffer frame = ByteBuffer.allocate(length);
    in.readBytes(frame);
    out.add(frame.flip());
  }
}
