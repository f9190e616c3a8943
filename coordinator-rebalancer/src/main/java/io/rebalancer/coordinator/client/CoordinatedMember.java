package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** A member of a coordinator's group. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // Both outcomes go to the future that was returned.
public final class CoordinatedMember implements GroupMember {

  private final MemberLoop loop;
  private final ListenerCalls listener;
  private final Optional<String> instanceId;
  private final Duration requestTimeout;

  CoordinatedMember(MemberLoop loop, ListenerCalls listener, CoordinatorClientConfig config) {
    this.loop = loop;
    this.listener = listener;
    this.instanceId = config.groupInstanceId();
    this.requestTimeout = config.requestTimeout();
  }

  @Override
  public Optional<MemberId> id() {
    return loop.snapshot().id();
  }

  @Override
  public Assignment assignment() {
    return loop.snapshot().owned();
  }

  /** Why this member ended by itself: the coordinator refused it for good. Else empty. */
  public Optional<String> failure() {
    return loop.ended().getNow(Optional.empty());
  }

  /**
   * Says that the application is still processing. Once it has been called it has to be called
   * again within {@code max.poll.interval.ms}, as {@code poll()} of a KafkaConsumer: else the
   * member leaves the group, for the others to go on, and joins again with the next call. An
   * application that never calls it promises nothing; its listener's calls have to return within
   * that time in any case. Costs next to nothing.
   */
  public void keepAlive() {
    loop.keepAlive();
  }

  /**
   * Whether the member has left its group because the application or its listener was too slow. It
   * comes back when they do.
   */
  public boolean away() {
    return loop.snapshot().away();
  }

  /**
   * How long the group still keeps what a vanished member had for its return ({@code
   * scheduled.rebalance.max.delay.ms}), as the last assignment said, or the last answer of a
   * coordinator that assigns; empty when it does not.
   */
  public Optional<Duration> scheduledRebalance() {
    Duration left = loop.delayLeft();
    return left.isZero() ? Optional.empty() : Optional.of(left);
  }

  /** An offset below 0 would be the removal of a position to a coordinator. */
  @Override
  public CompletableFuture<Void> commit(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> copy = Map.copyOf(offsets);
    for (Map.Entry<TopicPartition, Long> each : copy.entrySet()) {
      if (each.getValue() < 0) {
        return CompletableFuture.failedFuture(
            new IllegalArgumentException(
                "offset of " + each.getKey() + ": " + each.getValue() + " (expected: >= 0)"));
      }
    }
    return onLoop(
        result -> {
          if (owned(copy, result)) {
            loop.whenNotInRound(() -> commit(copy, result));
          }
        });
  }

  private boolean owned(Map<TopicPartition, Long> offsets, CompletableFuture<Void> result) {
    Assignment owned = loop.snapshot().owned();
    for (TopicPartition partition : offsets.keySet()) {
      if (!owned.contains(partition)) {
        result.completeExceptionally(
            new IllegalStateException(partition + " is not owned by " + loop.config().name()));
        return false;
      }
    }
    return true;
  }

  private void commit(Map<TopicPartition, Long> offsets, CompletableFuture<Void> result) {
    if (!owned(offsets, result)) {
      return; // Lost while it waited.
    }
    MemberLoop.Snapshot now = loop.snapshot();
    CoordinatorConnection connection = loop.connection();
    if (connection == null || now.id().isEmpty()) {
      result.completeExceptionally(notConnected());
      return;
    }
    if (offsets.isEmpty()) {
      result.complete(null);
      return;
    }
    long sent = loop.nanos();
    connection
        .<OffsetCommitResponseData>send(
            ApiKeys.OFFSET_COMMIT,
            OffsetMessages.commit(
                loop.config().group(), now.generation(), now.id().get(), instanceId, offsets),
            requestTimeout)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                result.completeExceptionally(asIo(failure));
                return;
              }
              loop.answered(ApiKeys.OFFSET_COMMIT, sent);
              Errors error = OffsetMessages.error(answer);
              complete(result, error);
              if (ofMembership(error)) {
                loop.post(new MemberEvent.Told(now.generation(), error, sent));
              }
            });
  }

  /** As a heartbeat would have said it; errors about one partition say nothing of the member. */
  private static boolean ofMembership(Errors error) {
    if (error == Errors.FENCED_INSTANCE_ID) {
      return true;
    }
    return switch (Reaction.to(error)) {
      case GO_ON, REJOIN, RESET, FORGET, SEEK -> true;
      case TAKE_ID, END, RETRY -> false;
    };
  }

  private static void complete(CompletableFuture<Void> result, Errors error) {
    String message = error.name() + " (" + error.code() + "): " + error.message();
    switch (Reaction.to(error)) {
      case GO_ON -> result.complete(null);
      case RESET, FORGET -> result.completeExceptionally(new IllegalStateException(message));
      default -> result.completeExceptionally(new IOException(message));
    }
  }

  /**
   * Also of a partition that it does not own. Fails with {@link IOException} when the coordinator
   * does not answer, and at once while there is none, as while the member is {@link #away}.
   */
  @Override
  public CompletableFuture<Optional<Long>> committed(TopicPartition partition) {
    return onLoop(result -> fetch(partition, result));
  }

  private void fetch(TopicPartition partition, CompletableFuture<Optional<Long>> result) {
    CoordinatorConnection connection = loop.connection();
    if (connection == null) {
      result.completeExceptionally(notConnected());
      return;
    }
    connection
        .<OffsetFetchResponseData>send(
            ApiKeys.OFFSET_FETCH,
            OffsetMessages.fetch(loop.config().group(), partition),
            requestTimeout)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                result.completeExceptionally(asIo(failure));
                return;
              }
              try {
                result.complete(OffsetMessages.fetched(answer));
              } catch (IOException e) {
                result.completeExceptionally(e);
              }
            });
  }

  /** On the loop, where connection and generation stand still; failed once the member has ended. */
  private <T> CompletableFuture<T> onLoop(Consumer<CompletableFuture<T>> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    boolean taken =
        loop.execute(
            () -> {
              if (loop.ended().isDone()) {
                result.completeExceptionally(hasEnded());
              } else {
                action.accept(result);
              }
            });
    if (!taken) {
      result.completeExceptionally(hasEnded());
    }
    return result;
  }

  private IllegalStateException hasEnded() {
    return new IllegalStateException("member " + loop.config().name() + " has ended");
  }

  private IOException notConnected() {
    return new IOException("member " + loop.config().name() + " has no coordinator at the moment");
  }

  private static IOException asIo(Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof IOException io ? io : new IOException(cause);
  }

  /** From within the listener it returns at once: the member leaves when that call has returned. */
  @Override
  public void close() {
    beginClose();
    awaitEnd();
  }

  GroupId group() {
    return loop.config().group();
  }

  void beginClose() {
    loop.post(new MemberEvent.CloseRequested());
  }

  void awaitEnd() {
    if (!listener.isCaller()) {
      loop.ended().join();
    }
  }

  @Override
  public void crash() {
    listener.drop();
    loop.post(new MemberEvent.CrashRequested());
    awaitEnd();
  }

  CompletableFuture<Optional<String>> ended() {
    return loop.ended();
  }

  /** Throws {@link java.util.concurrent.CompletionException} when no server can be reached. */
  void start() {
    loop.post(new MemberEvent.Started());
    CompletableFuture.anyOf(loop.reached(), loop.ended()).join();
  }
}
