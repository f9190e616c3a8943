package io.rebalancer.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LogEndsTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private final MemoryGroupStore store = new MemoryGroupStore(Clock.systemUTC());
  private final LogEnds ends = new LogEnds(store);

  private static Map<TopicPartition, CommittedOffset> at(TopicPartition partition, long offset) {
    return Map.of(partition, new CommittedOffset(offset, -1, "", 0));
  }

  @Test
  void aLogReachesAsFarAsAnyGroupHasCome() {
    ends.note(at(T0, 5));
    ends.saveOffsets(new GroupId("g"), new TreeMap<>(), at(T0, 42));
    ends.saveOffsets(new GroupId("h"), new TreeMap<>(), at(T0, 7));
    ends.saveOffsets(new GroupId("h"), new TreeMap<>(), at(T1, -1));

    assertThat(ends.of(T0)).isEqualTo(42);
    assertThat(ends.of(T1)).isZero();
    assertThat(ends.of(new TopicPartition("u", 0))).isZero();
  }

  @Test
  void aPositionThatIsNotStoredYetCountsForNothing() {
    store.holding = true;
    ends.saveOffsets(new GroupId("g"), new TreeMap<>(), at(T0, 42));
    assertThat(ends.of(T0)).isZero();

    store.release();

    assertThat(ends.of(T0)).isEqualTo(42);
  }
}
