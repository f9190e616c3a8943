package io.rebalancer.coordinator.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member's way to its coordinator: the search for it, its connections, and what comes back as
 * events. Confined to the member's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Every stage ends in an event, failures too.
final class CoordinatorLink {

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorLink.class);

  private final String member;
  private final CoordinatorSearch search;
  private final ContactLog contact;
  private final Consumer<MemberEvent> events;
  private @Nullable CoordinatorConnection connection;
  private int searches;

  /** While a Join or Sync waits on the other. */
  private @Nullable CoordinatorConnection beside;

  private int besideSearches;
  private boolean seekingBeside;

  CoordinatorLink(
      String member, CoordinatorSearch search, ContactLog contact, Consumer<MemberEvent> events) {
    this.member = member;
    this.search = search;
    this.contact = contact;
    this.events = events;
  }

  /** Null while there is none. */
  @Nullable CoordinatorConnection connection() {
    return connection;
  }

  /** Connected or Disconnected follows, unless {@link #drop} comes first. */
  void seek() {
    seek(this::use, this::notFound);
  }

  /** Neither is told once the member wants something else: the search is simply outlived. */
  private void seek(Consumer<CoordinatorConnection> found, Consumer<Throwable> notFound) {
    int number = ++searches;
    search
        .find()
        .whenComplete(
            (connected, failure) -> {
              if (failure != null) {
                if (number == searches) {
                  notFound.accept(failure);
                }
              } else if (number == searches) {
                found.accept(connected);
              } else {
                connected.close("no longer wanted");
              }
            });
  }

  private void use(CoordinatorConnection found) {
    connection = found;
    events.accept(new MemberEvent.Connected());
    found
        .closed()
        .thenAccept(
            reason -> {
              if (connection == found) {
                connection = null;
                LOG.debug("member {} has lost its coordinator: {}", member, reason);
                events.accept(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, reason));
              }
            });
  }

  private void notFound(Throwable failure) {
    String reason = Causes.message(failure);
    Errors error = Errors.NETWORK_EXCEPTION;
    if (Causes.of(failure) instanceof CoordinatorSearch.NotFoundException said) {
      error = said.error();
      boolean over = Reaction.to(error) == Reaction.END;
      if (!over && !search.reached().isCompletedExceptionally()) { // Else the end says it.
        contact.without(said.reasons());
      }
    } else {
      contact.without(reason);
    }
    events.accept(new MemberEvent.Disconnected(error, reason));
  }

  /** No event follows. */
  void drop() {
    searches++;
    closeBeside();
    CoordinatorConnection open = connection;
    connection = null;
    if (open != null) {
      open.close("closed by the member");
    }
  }

  /**
   * Without an answer the connection is closed, which says Disconnected.
   *
   * @param event of an answer and of who gave it
   */
  <A extends ApiMessage> void send(
      ApiKeys api,
      ApiMessage request,
      Duration timeout,
      BiFunction<A, InetSocketAddress, MemberEvent> event) {
    CoordinatorConnection open = connection;
    if (open != null) {
      sendOn(open, api, request, timeout, event);
    }
  }

  private <A extends ApiMessage> void sendOn(
      CoordinatorConnection open,
      ApiKeys api,
      ApiMessage request,
      Duration timeout,
      BiFunction<A, InetSocketAddress, MemberEvent> event) {
    open.<A>send(api, request, timeout)
        .thenApply(answer -> event.apply(answer, open.address()))
        .thenAccept(events)
        .exceptionally(
            failure -> {
              open.close(Causes.message(failure));
              return null;
            });
  }

  /**
   * On a second connection, made for this; nothing follows when there is no answer. If the search
   * for it finds another coordinator, the first connection is closed, which says Disconnected:
   * nobody may ever answer what waits there.
   */
  <A extends ApiMessage> void sendBeside(
      ApiKeys api,
      ApiMessage request,
      Duration timeout,
      BiFunction<A, InetSocketAddress, MemberEvent> event) {
    CoordinatorConnection open = beside;
    if (open != null && !open.closed().isDone()) {
      sendOn(open, api, request, timeout, event);
    } else if (!seekingBeside) {
      seekingBeside = true;
      int number = ++besideSearches;
      search
          .find()
          .whenComplete(
              (found, failure) -> {
                if (number != besideSearches) {
                  if (found != null) {
                    found.close("no longer wanted");
                  }
                  return;
                }
                seekingBeside = false;
                if (failure == null) {
                  useBeside(found);
                  sendOn(found, api, request, timeout, event);
                }
              });
    }
  }

  private void useBeside(CoordinatorConnection found) {
    beside = found;
    CoordinatorConnection first = connection;
    if (first != null && !sameServer(first.address(), found.address())) {
      first.close("the coordinator is at " + Addresses.text(found.address()) + " now");
    }
  }

  /** Whether looked up already or not. */
  private static boolean sameServer(InetSocketAddress one, InetSocketAddress other) {
    return one.getPort() == other.getPort() && one.getHostString().equals(other.getHostString());
  }

  void closeBeside() {
    besideSearches++;
    seekingBeside = false;
    CoordinatorConnection open = beside;
    beside = null;
    if (open != null) {
      open.close("no longer wanted");
    }
  }

  /** LeaveDone follows in any case, unless {@link #drop} comes first. */
  void leave(LeaveGroupRequestData request, Duration timeout, boolean onNewConnection) {
    CoordinatorConnection open = connection;
    if (open != null && !onNewConnection) {
      leaveOn(open, request, timeout);
      return;
    }
    drop();
    seek(
        found -> {
          connection = found;
          leaveOn(found, request, timeout);
        },
        failure -> events.accept(new MemberEvent.LeaveDone()));
  }

  private void leaveOn(
      CoordinatorConnection open, LeaveGroupRequestData request, Duration timeout) {
    open.send(ApiKeys.LEAVE_GROUP, request, timeout)
        .whenComplete((answer, failure) -> events.accept(new MemberEvent.LeaveDone()));
  }
}
