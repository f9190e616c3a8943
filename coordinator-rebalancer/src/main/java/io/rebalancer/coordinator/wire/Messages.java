package io.rebalancer.coordinator.wire;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * Frames to messages and back, both directions, through kafka-clients' generated classes. A frame
 * here is what follows the four bytes of length.
 */
public final class Messages {

  private Messages() {}

  /** A request as it came in. */
  public record Request(RequestHeader header, ApiMessage body) {
    public ApiKeys key() {
      return header.apiKey();
    }

    public short version() {
      return header.apiVersion();
    }
  }

  /**
   * Reads a request's header; the buffer then stands at the body.
   *
   * @throws BadRequestException if there is none, or its api key is unknown
   */
  public static RequestHeader readHeader(ByteBuffer frame) throws BadRequestException {
    try {
      return RequestHeader.parse(frame);
    } catch (RuntimeException e) {
      throw new BadRequestException("no request header: " + e.getMessage(), e);
    }
  }

  /**
   * Reads the body that belongs to {@code header}.
   *
   * @throws BadRequestException if the bytes are no such message, or more than one
   */
  public static Request readBody(RequestHeader header, ByteBuffer frame)
      throws BadRequestException {
    ApiMessage body = header.apiKey().messageType.newRequest();
    try {
      body.read(new ByteBufferAccessor(frame), header.apiVersion());
    } catch (RuntimeException e) {
      throw new BadRequestException(
          "no " + header.apiKey().name + " v" + header.apiVersion() + ": " + e.getMessage(), e);
    }
    if (frame.hasRemaining()) {
      throw new BadRequestException(
          frame.remaining() + " bytes after a " + header.apiKey().name + " request");
    }
    return new Request(header, body);
  }

  /** A whole request frame. */
  public static ByteBuffer writeRequest(RequestHeader header, ApiMessage body) {
    return write(header.data(), header.headerVersion(), body, header.apiVersion());
  }

  /** A whole answer frame; {@code version} is the one the body is written in. */
  public static ByteBuffer writeResponse(int correlationId, short version, ApiMessage body) {
    short headerVersion = ApiMessageType.fromApiKey(body.apiKey()).responseHeaderVersion(version);
    ResponseHeader header = new ResponseHeader(correlationId, headerVersion);
    return write(header.data(), headerVersion, body, version);
  }

  /** The correlation id of an answer frame; does not move the buffer. */
  public static int correlationId(ByteBuffer frame) {
    return frame.getInt(frame.position());
  }

  /** Reads an answer to a request of this key and version. */
  public static ApiMessage readResponse(ApiKeys key, short version, ByteBuffer frame)
      throws BadRequestException {
    ApiMessage body = key.messageType.newResponse();
    try {
      ResponseHeader.parse(frame, key.responseHeaderVersion(version));
      body.read(new ByteBufferAccessor(frame), version);
    } catch (RuntimeException e) {
      throw new BadRequestException(
          "no answer to " + key.name + " v" + version + ": " + e.getMessage(), e);
    }
    return body;
  }

  private static ByteBuffer write(
      Message header, short headerVersion, Message body, short version) {
    ObjectSerializationCache cache = new ObjectSerializationCache();
    MessageSizeAccumulator size = new MessageSizeAccumulator();
    header.addSize(size, cache, headerVersion);
    body.addSize(size, cache, version);
    ByteBufferAccessor out = new ByteBufferAccessor(ByteBuffer.allocate(size.totalSize()));
    header.write(out, cache, headerVersion);
    body.write(out, cache, version);
    return out.buffer().flip();
  }
}
