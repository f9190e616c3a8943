package io.rebalancer.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerTableTest {

  private final TimerTable<String> timers = new TimerTable<>();

  private List<String> expireAt(long nanos) {
    List<String> expired = new ArrayList<>();
    timers.expire(nanos, expired::add);
    return expired;
  }

  @Test
  void timersExpireOnceInOrderOfDeadline() {
    timers.arm("late", 20);
    timers.arm("early", 10);

    assertThat(timers.nanosToNext(3)).isEqualTo(7);
    assertThat(expireAt(9)).isEmpty();
    assertThat(expireAt(25)).containsExactly("early", "late");
    assertThat(expireAt(100)).isEmpty();
    assertThat(timers.nanosToNext(100)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void armingAgainReplacesTheDeadlineInBothDirections() {
    timers.arm("later", 10);
    timers.arm("later", 30);
    timers.arm("sooner", 30);
    timers.arm("sooner", 10);

    assertThat(expireAt(10)).containsExactly("sooner");
    assertThat(expireAt(29)).isEmpty();
    assertThat(expireAt(30)).containsExactly("later");
  }

  @Test
  void aCancelledTimerIsSilentAlsoWhenItIsArmedAnew() {
    timers.arm("a", 10);
    timers.cancel("a");
    assertThat(expireAt(10)).isEmpty();

    timers.arm("a", 20);
    timers.cancel("a");
    timers.arm("a", 40);
    assertThat(expireAt(20)).isEmpty();
    assertThat(expireAt(40)).containsExactly("a");
  }

  @Test
  void aTimerMayArmItselfWhenItExpires() {
    timers.arm("a", 10);
    List<Long> at = new ArrayList<>();
    for (long now = 0; now <= 30; now += 5) {
      long time = now;
      timers.expire(
          now,
          key -> {
            at.add(time);
            timers.arm(key, time + 10);
          });
    }

    assertThat(at).containsExactly(10L, 20L, 30L);
  }

  @Test
  void thousandsOfRearmingsLeaveOneEntry() {
    for (int i = 0; i < 10_000; i++) {
      timers.arm("member", 100 + i);
    }

    assertThat(timers.size()).isEqualTo(1);
    assertThat(timers.queued()).isEqualTo(1);
    assertThat(expireAt(10_098)).isEmpty();
    assertThat(expireAt(10_099)).containsExactly("member");
  }

  @Test
  void deadlinesMayPassTheEndOfTheClock() {
    long now = Long.MAX_VALUE - 5;
    timers.arm("after", now + 20);
    timers.arm("before", now + 2);

    assertThat(timers.nanosToNext(now)).isEqualTo(2);
    assertThat(expireAt(now + 10)).containsExactly("before");
    assertThat(expireAt(now + 20)).containsExactly("after");
  }
}
