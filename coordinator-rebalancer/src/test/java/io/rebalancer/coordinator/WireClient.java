package io.rebalancer.coordinator;

import io.rebalancer.coordinator.wire.BadRequestException;
import io.rebalancer.coordinator.wire.Messages;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestHeader;

/** A socket that speaks frames, well-formed or not. */
final class WireClient implements AutoCloseable {

  private final Socket socket;
  private final DataInputStream in;
  private int correlation;

  WireClient(CoordinatorNode node) throws IOException {
    socket = new Socket("127.0.0.1", node.address().getPort());
    socket.setSoTimeout(10_000);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Returns the correlation id. */
  int send(ApiKeys key, int version, ApiMessage body) throws IOException {
    RequestHeader header = new RequestHeader(key, (short) version, "wire", ++correlation);
    frame(Messages.writeRequest(header, body));
    return correlation;
  }

  void frame(ByteBuffer frame) throws IOException {
    ByteBuffer whole = ByteBuffer.allocate(4 + frame.remaining());
    whole.putInt(frame.remaining()).put(frame);
    raw(whole.array());
  }

  void raw(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  ByteBuffer receive() throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return ByteBuffer.wrap(frame);
  }

  @SuppressWarnings("unchecked")
  <T extends ApiMessage> T ask(ApiKeys key, int version, ApiMessage body)
      throws IOException, BadRequestException {
    send(key, version, body);
    return (T) Messages.readResponse(key, (short) version, receive());
  }

  /** Of the request that was sent last. */
  @SuppressWarnings("unchecked")
  <T extends ApiMessage> T answer(ApiKeys key, int version)
      throws IOException, BadRequestException {
    return (T) Messages.readResponse(key, (short) version, receive());
  }

  /** Whether the server has closed the connection; waits until it does or sends something. */
  boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
