package io.rebalancer.coordinator.client;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A member's timers, on its event loop: at most one of each is armed; arming replaces. */
final class MemberTimers {

  private final EventLoop loop;
  private final Consumer<MemberTimer> fired;
  private final Map<MemberTimer, ScheduledFuture<?>> armed = new EnumMap<>(MemberTimer.class);

  MemberTimers(EventLoop loop, Consumer<MemberTimer> fired) {
    this.loop = loop;
    this.fired = fired;
  }

  boolean isArmed(MemberTimer timer) {
    return armed.containsKey(timer);
  }

  void arm(MemberTimer timer, long delayNanos) {
    cancel(timer);
    armed.put(timer, loop.schedule(() -> fire(timer), delayNanos, TimeUnit.NANOSECONDS));
  }

  private void fire(MemberTimer timer) {
    armed.remove(timer);
    fired.accept(timer);
  }

  void cancel(MemberTimer timer) {
    ScheduledFuture<?> running = armed.remove(timer);
    if (running != null) {
      running.cancel(false);
    }
  }

  void cancelAll() {
    for (MemberTimer timer : MemberTimer.values()) {
      cancel(timer);
    }
  }
}
