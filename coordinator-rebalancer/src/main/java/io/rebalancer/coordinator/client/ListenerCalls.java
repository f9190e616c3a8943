package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RepeatedFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one member's listener, one call at a time and in order, on threads that many members share
 * and that may block.
 */
final class ListenerCalls {

  private static final Logger LOG = LoggerFactory.getLogger(ListenerCalls.class);

  private record Call(MemberEffect.CallListener effect, Consumer<Boolean> returned) {}

  private final String member;
  private final OwnershipListener listener;
  private final Executor executor;
  private final RepeatedFailure failures = new RepeatedFailure();
  private final Deque<Call> waiting = new ArrayDeque<>();
  private boolean running;
  private volatile @Nullable Thread caller;

  ListenerCalls(String member, OwnershipListener listener, Executor executor) {
    this.member = member;
    this.listener = listener;
    this.executor = executor;
  }

  /** {@code returned} is told, on the calling thread, whether the call threw. */
  synchronized void call(MemberEffect.CallListener effect, Consumer<Boolean> returned) {
    waiting.addLast(new Call(effect, returned));
    if (!running) {
      running = true;
      executor.execute(this::runAll);
    }
  }

  /** Drops the calls that have not begun. */
  synchronized void drop() {
    waiting.clear();
  }

  /** Whether this is the thread that is inside the listener. */
  boolean isCaller() {
    return Thread.currentThread().equals(caller);
  }

  private void runAll() {
    for (Call call = poll(); call != null; call = poll()) {
      caller = Thread.currentThread();
      boolean failed = !invoke(call.effect());
      caller = null;
      call.returned().accept(failed);
    }
  }

  private synchronized @Nullable Call poll() {
    Call call = waiting.poll();
    running = call != null;
    return call;
  }

  /** The first failure of its kind is told with its trace, until {@code onAssigned} returns. */
  private boolean invoke(MemberEffect.CallListener effect) {
    try {
      switch (effect.call()) {
        case REVOKED -> listener.onRevoked(effect.partitions());
        case ASSIGNED -> {
          listener.onAssigned(effect.partitions());
          assigned();
        }
        case LOST -> listener.onLost(effect.partitions());
      }
      return true;
    } catch (RuntimeException | Error e) {
      String failure = "the listener failed in " + effect.call().method() + ": " + e;
      if (failures.isFirst(failure)) {
        LOG.warn("member {}: {}", member, failure, e);
      } else {
        LOG.debug("member {}: {}", member, failure);
      }
      return false;
    }
  }

  private void assigned() {
    int count = failures.succeeded();
    if (count > 1) {
      LOG.warn("member {}: the listener goes on, after {} failures", member, count);
    }
  }
}
