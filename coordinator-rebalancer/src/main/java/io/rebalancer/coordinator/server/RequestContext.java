package io.rebalancer.coordinator.server;

import io.rebalancer.coordinator.group.ClientInfo;
import io.rebalancer.coordinator.wire.Messages.Request;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request on its way through the router.
 *
 * @param answer to be called once, on any thread
 * @param later runs a task after a delay, unless the connection closes before
 */
record RequestContext(
    Request request, ClientInfo client, Consumer<ApiMessage> answer, Later later) {

  interface Later {
    void run(Duration delay, Runnable task);
  }

  /** The same, with something to be done first when it is answered. */
  RequestContext beforeAnswer(Runnable first) {
    return new RequestContext(
        request,
        client,
        given -> {
          first.run();
          answer.accept(given);
        },
        later);
  }

  short version() {
    return request.version();
  }
}
