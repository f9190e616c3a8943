package io.rebalancer.coordinator.client;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** Requests to bytes and bytes to answers, by kafka-clients' own message classes. */
final class Frames {

  private Frames() {}

  private static final short FIRST_HEADER_WITH_TAGS = 2;

  /**
   * With the four bytes of its length. In versions without tagged fields ours, which are only for
   * who knows them, are left out of {@code request}.
   */
  static ByteBuffer encode(
      ApiKeys api, short version, String clientId, int correlationId, ApiMessage request) {
    RequestHeader header = new RequestHeader(api, version, clientId, correlationId);
    if (header.headerVersion() < FIRST_HEADER_WITH_TAGS) {
      request.unknownTaggedFields().clear();
    }
    ByteBuffer body =
        RequestUtils.serialize(header.data(), header.headerVersion(), request, version);
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + body.remaining());
    frame.putInt(body.remaining()).put(body).flip();
    return frame;
  }

  /** Throws {@link RuntimeException} for bytes that are no such answer. */
  static ApiMessage decode(ApiKeys api, short version, int correlationId, ByteBuffer frame) {
    ByteBufferAccessor bytes = new ByteBufferAccessor(frame);
    ResponseHeaderData header = new ResponseHeaderData(bytes, api.responseHeaderVersion(version));
    if (header.correlationId() != correlationId) {
      throw new IllegalArgumentException(
          "answer to request %d (expected: %d)".formatted(header.correlationId(), correlationId));
    }
    if (api == ApiKeys.API_VERSIONS
        && frame.getShort(frame.position()) == Errors.UNSUPPORTED_VERSION.code()) {
      return new ApiVersionsResponseData(bytes, (short) 0);
    }
    ApiMessage answer = api.messageType.newResponse();
    answer.read(bytes, version);
    return answer;
  }
}
