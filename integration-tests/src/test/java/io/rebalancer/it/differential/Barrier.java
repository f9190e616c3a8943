package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Makes sure that what was sent on other connections has been taken up: whoever answers two
 * requests on each of its network threads afterwards has read everything that came before. One
 * after the other, connections are given to one network thread after the other.
 */
final class Barrier implements AutoCloseable {

  private static final int NETWORK_THREADS = 2;

  private final List<Line> lines = new ArrayList<>();

  Barrier(Target target) {
    for (int i = 0; i < NETWORK_THREADS; i++) {
      lines.add(new Line(target, "barrier"));
    }
  }

  void pass() throws Exception {
    for (int round = 0; round < 2; round++) {
      for (Line line : lines) {
        line.send(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
      }
      for (Line line : lines) {
        if (line.receive(ApiKeys.API_VERSIONS, 0).isEmpty()) {
          throw new IllegalStateException("expected an answer, found a closed connection");
        }
      }
    }
  }

  @Override
  public void close() {
    lines.forEach(Line::close);
  }
}
