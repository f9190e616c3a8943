package io.rebalancer.bridge.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.testkit.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class MovesTest {

  private static final Assignment TEN = Assignment.of("t", PartitionSet.range(0, 10));

  private static SortedMap<String, Assignment> owners(Map<String, String> shares) {
    SortedMap<String, Assignment> owners = new TreeMap<>();
    shares.forEach((m, text) -> owners.put(m, Assignment.of("t", PartitionSet.parse(text))));
    return owners;
  }

  @Test
  void aPartitionMovesWhenItHadAnOwnerAndHasAnother() {
    var before = owners(Map.of("a", "0-4", "b", "5-9"));
    var after = owners(Map.of("a", "0-3", "b", "4-6", "c", "7-12"));

    assertThat(Moves.count(before, after)).isEqualTo(4); // 4, and 7 to 9; 10 to 12 are new
  }

  @Test
  void aJoinNeedsNoMoreMovesThanTheNewcomersShare() {
    var before = owners(Map.of("a", "0-4", "b", "5-9"));

    assertThat(Moves.minimum(before, Set.of("a", "b", "c"), 1, TEN)).isEqualTo(3);
  }

  @Test
  void aLeaveNeedsTheLeaversShare() {
    var before = owners(Map.of("a", "0-3", "b", "4-6", "c", "7-9"));

    assertThat(Moves.minimum(before, Set.of("a", "c"), 1, TEN)).isEqualTo(3);
  }

  @Test
  void nothingHasToMoveWhenOnlyTheTopicGrows() {
    var before = owners(Map.of("a", "0-4", "b", "5-9"));
    Assignment more = Assignment.of("t", PartitionSet.range(0, 11));

    assertThat(Moves.minimum(before, Set.of("a", "b"), 1, more)).isZero();
  }

  @Test
  void whenNobodyIsLeftNothingMoves() {
    var before = owners(Map.of("a", "0-9"));

    assertThat(Moves.minimum(before, Set.of(), 1, TEN)).isZero();
    assertThat(Moves.count(before, owners(Map.of()))).isZero();
  }

  @Test
  void noStepOfTheOriginalMovesFewerThanTheMinimum() {
    for (long seed : Seeds.fixed()) {
      Random random = new Random(seed);
      int threads = 1 + random.nextInt(3);
      int partitions = 1 + random.nextInt(40);
      Set<String> first = names(random);
      Set<String> second = names(random);
      var before = range(first, threads, partitions);
      int grown = partitions + random.nextInt(5);
      var after = range(second, threads, grown);

      assertThat(Moves.minimum(before, second, threads, all(grown)))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(Moves.count(before, after));
    }
  }

  private static Assignment all(int partitions) {
    return Assignment.copyOf(
        Map.of("t", PartitionSet.range(0, partitions), "u", PartitionSet.range(0, partitions)));
  }

  private static Set<String> names(Random random) {
    Set<String> names = new TreeSet<>(List.of("m"));
    int more = random.nextInt(8);
    for (int i = 0; i < more; i++) {
      names.add("m" + random.nextInt(12));
    }
    return names;
  }

  private static SortedMap<String, Assignment> range(
      Set<String> names, int threads, int partitions) {
    SortedMap<MemberId, Subscription> members = new TreeMap<>();
    names.forEach(
        name ->
            members.put(
                new MemberId(name), Subscription.copyOf(Map.of("t", threads, "u", threads))));
    SortedMap<String, Assignment> shares = new TreeMap<>();
    new RangeAssignor()
        .assign(all(partitions).topics(), members)
        .forEach((member, share) -> shares.put(member.value(), share));
    return shares;
  }
}
