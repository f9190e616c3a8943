package io.rebalancer.coordinator.client;

import io.netty.channel.EventLoop;
import io.rebalancer.core.model.GroupId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Finds a group's coordinator: any server answers, so the bootstrap servers are asked in turn, the
 * last good one first. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Both outcomes go to the future that was returned.
final class CoordinatorSearch {

  private static final byte KEY_TYPE_GROUP = 0;

  /** Nobody named a coordinator that can be reached; {@code error} is a server's word on it. */
  static final class NotFoundException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Errors error;

    NotFoundException(Errors error, String message, Throwable cause) {
      super(message, cause);
      this.error = error;
    }

    Errors error() {
      return error;
    }
  }

  private final EventLoop loop;
  private final List<InetSocketAddress> servers;
  private final Duration timeout;
  private final GroupId group;
  private final String clientId;
  private final CompletableFuture<Void> reached = new CompletableFuture<>();
  private int next;

  CoordinatorSearch(
      EventLoop loop, CoordinatorClientConfig config, GroupId group, String clientId) {
    this.loop = loop;
    this.servers = config.bootstrapServers();
    this.timeout = config.requestTimeout();
    this.group = group;
    this.clientId = clientId;
  }

  /** Completes when a server has accepted a connection, or when none did in the first search. */
  CompletableFuture<Void> reached() {
    return reached;
  }

  /** A connection to the coordinator, or {@link NotFoundException}. */
  CompletableFuture<CoordinatorConnection> find() {
    CompletableFuture<CoordinatorConnection> found = new CompletableFuture<>();
    ask(servers.size(), found);
    return found;
  }

  private void ask(int tries, CompletableFuture<CoordinatorConnection> found) {
    InetSocketAddress server = servers.get(next);
    CoordinatorConnection.open(loop, server, clientId, timeout, reached)
        .thenCompose(this::coordinatorNamedBy)
        .whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                found.complete(connection);
                return;
              }
              next = (next + 1) % servers.size();
              NotFoundException reason = reason(server, failure);
              if (tries > 1 && Reaction.to(reason.error()) != Reaction.END) {
                ask(tries - 1, found);
              } else {
                reached.completeExceptionally(reason);
                found.completeExceptionally(reason);
              }
            });
  }

  private CompletableFuture<CoordinatorConnection> coordinatorNamedBy(CoordinatorConnection any) {
    FindCoordinatorRequestData request =
        new FindCoordinatorRequestData()
            .setKeyType(KEY_TYPE_GROUP)
            .setCoordinatorKeys(List.of(group.value()));
    return any.<FindCoordinatorResponseData>send(ApiKeys.FIND_COORDINATOR, request, timeout)
        .thenCompose(
            answer -> {
              FindCoordinatorResponseData.Coordinator named = answer.coordinators().get(0);
              Errors error = Errors.forCode(named.errorCode());
              if (error != Errors.NONE) {
                any.close("no coordinator here");
                throw new CompletionException(
                    new NotFoundException(error, error.message(), error.exception()));
              }
              if (isAt(any.address(), named)) {
                return CompletableFuture.completedFuture(any);
              }
              any.close("the coordinator is elsewhere");
              return CoordinatorConnection.open(
                  loop,
                  new InetSocketAddress(named.host(), named.port()),
                  clientId,
                  timeout,
                  new CompletableFuture<>());
            });
  }

  private static boolean isAt(
      InetSocketAddress address, FindCoordinatorResponseData.Coordinator named) {
    return address.getPort() == named.port() && address.getHostString().equals(named.host());
  }

  private NotFoundException reason(InetSocketAddress server, Throwable failure) {
    Throwable cause = Causes.of(failure);
    String message = "group " + group + " at " + server + ": " + Causes.message(failure);
    if (cause instanceof NotFoundException named) {
      return new NotFoundException(named.error(), message, cause);
    }
    boolean hopeless = cause instanceof ApiVersionTable.UnsupportedApiException;
    return new NotFoundException(
        hopeless ? Errors.UNSUPPORTED_VERSION : Errors.NETWORK_EXCEPTION, message, cause);
  }
}
