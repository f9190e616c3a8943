package io.rebalancer.it.differential;

import io.rebalancer.coordinator.wire.Messages;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestHeader;

/** A connection. */
final class Line implements AutoCloseable {

  private static final int PATIENCE_MS = 5_000;

  private final Socket socket;
  private final DataInputStream in;
  private final String clientId;
  private int correlation;

  Line(Target target, String clientId) {
    this.clientId = clientId;
    try {
      socket = new Socket(target.host(), target.port());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MS);
      in = new DataInputStream(socket.getInputStream());
      // From here on the other side has accepted it, and reads it in its turn.
      send(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(target.toString(), e);
    }
  }

  void send(ApiKeys key, int version, ApiMessage body) throws IOException {
    ByteBuffer frame =
        Messages.writeRequest(
            new RequestHeader(key, (short) version, clientId, ++correlation), body);
    ByteBuffer whole = ByteBuffer.allocate(4 + frame.remaining());
    whole.putInt(frame.remaining()).put(frame);
    try {
      socket.getOutputStream().write(whole.array());
    } catch (SocketException e) {
      // Closed by the other side: the answer will say so.
    }
  }

  boolean hasAnswer() {
    try {
      return in.available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Empty when the other side has closed the connection. */
  Optional<ApiMessage> receive(ApiKeys key, int version) throws Exception {
    byte[] frame;
    try {
      frame = new byte[in.readInt()];
      in.readFully(frame);
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    }
    return Optional.of(Messages.readResponse(key, (short) version, ByteBuffer.wrap(frame)));
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
