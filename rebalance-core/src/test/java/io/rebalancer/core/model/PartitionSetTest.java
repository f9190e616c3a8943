package io.rebalancer.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.testkit.Seeds;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PartitionSetTest {

  @Test
  void aMillionConsecutivePartitionsAreOneRange() {
    PartitionSet million = PartitionSet.range(0, 1_000_000);

    assertThat(million.size()).isEqualTo(1_000_000);
    assertThat(million).hasToString("0-999999").isEqualTo(PartitionSet.parse("0-999999"));
  }

  @Test
  void itIsTheSetOfItsMembersWhateverTheOrderTheyCameIn() {
    PartitionSet set = PartitionSet.of(9, 3, 1, 2, 10);

    assertThat(set).isEqualTo(PartitionSet.of(1, 2, 3, 9, 10)).hasToString("1-3,9-10");
    assertThat(set.contains(0)).isFalse();
    assertThat(set.contains(2)).isTrue();
    assertThat(set.contains(4)).isFalse();
    assertThat(set.contains(10)).isTrue();
    assertThat(set.contains(11)).isFalse();
  }

  @Test
  void textThatIsNoSetIsRefusedWithTheText() {
    for (String text : new String[] {"x", "1,", "3-1", "-2", "1--2"}) {
      assertThatThrownBy(() -> PartitionSet.parse(text)).hasMessageContaining("\"" + text + "\"");
    }
  }

  @Test
  void whatIsNoPartitionNumberIsRefusedByItsValue() {
    assertThatThrownBy(() -> PartitionSet.of(3, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partition: -1 (expected: 0 to 2147483646)");
    assertThatThrownBy(() -> PartitionSet.copyOf(List.of(Integer.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partition: 2147483647 (expected: 0 to 2147483646)");
    assertThatThrownBy(() -> PartitionSet.range(2, Integer.MAX_VALUE - 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 + 2147483646");
    assertThatThrownBy(() -> new PartitionSet.Builder().add(-2, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
  }

  @Test
  void aVeryHighNumberTakesNoMoreRoomThanALowOne() {
    PartitionSet set = PartitionSet.of(Integer.MAX_VALUE - 1, 7, 3, 7);

    assertThat(set).hasToString("3,7,2147483646");
    assertThat(set.size()).isEqualTo(3);
    assertThat(PartitionSet.range(0, Integer.MAX_VALUE).size()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void algebraAgreesWithATreeSetOnRandomSets() {
    for (long seed : Seeds.fixed()) {
      Random random = new Random(seed);
      TreeSet<Integer> a = randomSet(random);
      TreeSet<Integer> b = randomSet(random);
      TreeSet<Integer> sum = new TreeSet<>(a);
      sum.addAll(b);
      TreeSet<Integer> rest = new TreeSet<>(a);
      rest.removeAll(b);
      TreeSet<Integer> both = new TreeSet<>(a);
      both.retainAll(b);
      PartitionSet left = PartitionSet.copyOf(a);
      PartitionSet right = PartitionSet.copyOf(b);

      assertThat(left.plus(right)).as("seed %d", seed).isEqualTo(PartitionSet.copyOf(sum));
      assertThat(left.minus(right)).as("seed %d", seed).isEqualTo(PartitionSet.copyOf(rest));
      assertThat(left.and(right)).as("seed %d", seed).isEqualTo(PartitionSet.copyOf(both));
      assertThat(left.stream().boxed()).as("seed %d", seed).containsExactlyElementsOf(a);
      assertThat(PartitionSet.parse(left.toString())).as("seed %d", seed).isEqualTo(left);
    }
  }

  private static TreeSet<Integer> randomSet(Random random) {
    TreeSet<Integer> set = new TreeSet<>();
    int size = random.nextInt(40);
    for (int i = 0; i < size; i++) {
      set.add(random.nextInt(60));
    }
    return set;
  }
}
