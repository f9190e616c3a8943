package io.rebalancer.coordinator.client;

import io.netty.channel.EventLoop;
import io.rebalancer.core.model.GroupId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Finds a group's coordinator: any server answers, so the bootstrap servers are asked in turn. A
 * search begins after the server that answered the last one, which may hang by now. Confined to its
 * event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Both outcomes go to the future that was returned.
final class CoordinatorSearch {

  private static final byte KEY_TYPE_GROUP = 0;

  /**
   * Nobody named a coordinator that can be reached; {@code error} is a server's word on it. The
   * message names the group, and each server that was asked with its reason.
   */
  static final class NotFoundException extends IOException {
    private static final long serialVersionUID = 1L;
    private final Errors error;
    private final String reasons;

    NotFoundException(Errors error, String prefix, String reasons, @Nullable Throwable cause) {
      super(prefix + reasons, cause);
      this.error = error;
      this.reasons = reasons;
    }

    Errors error() {
      return error;
    }

    /** Of each server that was asked, without the group. */
    String reasons() {
      return reasons;
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
    ask(new ArrayList<>(), found);
    return found;
  }

  /**
   * @param reasons of the servers that were asked before in this search
   */
  private void ask(List<String> reasons, CompletableFuture<CoordinatorConnection> found) {
    InetSocketAddress server = servers.get(next);
    CoordinatorConnection.open(loop, server, clientId, timeout, reached)
        .thenCompose(this::coordinatorNamedBy)
        .whenComplete(
            (connection, failure) -> {
              next = (next + 1) % servers.size(); // Of a search after this: that one may hang.
              if (failure == null) {
                found.complete(connection);
                return;
              }
              reasons.add(reason(server, failure));
              Errors error = error(failure);
              if (reasons.size() < servers.size() && Reaction.to(error) != Reaction.END) {
                ask(reasons, found);
              } else {
                NotFoundException all = notFound(error, reasons, Causes.of(failure));
                reached.completeExceptionally(all);
                found.completeExceptionally(all);
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
                    new NotFoundException(error, "", error.message(), error.exception()));
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

  private NotFoundException notFound(Errors error, List<String> reasons, Throwable last) {
    return new NotFoundException(
        error, "no coordinator of group " + group + ": ", String.join("; ", reasons), last);
  }

  private static String reason(InetSocketAddress server, Throwable failure) {
    String asked = Addresses.text(server) + ": ";
    String message = Causes.message(failure);
    return message.startsWith(asked) ? message : asked + message;
  }

  private static Errors error(Throwable failure) {
    Throwable cause = Causes.of(failure);
    if (cause instanceof NotFoundException named) {
      return named.error();
    }
    boolean hopeless = cause instanceof ApiVersionTable.UnsupportedApiException;
    return hopeless ? Errors.UNSUPPORTED_VERSION : Errors.NETWORK_EXCEPTION;
  }
}
