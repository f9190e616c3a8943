package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.testkit.RandomGroup;
import io.rebalancer.core.testkit.Seeds;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What holds for every shipped assignor on 10,000 random groups, one for each seed. {@code
 * MemberAssignorContract} asks for more, of fewer groups.
 */
class AssignorInvariantsTest {

  private static final int GROUPS = 10_000;
  private static final Set<String> EVEN =
      Set.of("roundrobin", "sticky", "cooperative-sticky", "uniform");

  @Test
  void theseAreAllThatAreShipped() {
    assertThat(Assignors.all().keySet())
        .containsExactlyInAnyOrder(
            "range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "weighted");
  }

  @Test
  void everyInvariantHoldsOnTenThousandGroups() {
    Collection<MemberAssignor> assignors = Assignors.all().values();
    for (long seed : Seeds.upTo(GROUPS)) {
      Random random = new Random(seed);
      RandomGroup group = RandomGroup.of(random);
      GroupInput input = group.input();
      GroupInput shuffled = group.shuffled(random).input();
      for (MemberAssignor assignor : assignors) {
        try {
          demandInvariants(assignor, group, input, shuffled);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(
              "%s, seed %d (replay it with -Drebalancer.seed=%d), group %s: %s"
                  .formatted(assignor.name(), seed, seed, group, e.getMessage()),
              e);
        }
      }
    }
  }

  private static void demandInvariants(
      MemberAssignor assignor, RandomGroup group, GroupInput input, GroupInput shuffled) {
    GroupAssignment result = assignor.assign(input);
    demand(
        result.equals(assignor.assign(shuffled)),
        "another result for another order than %s",
        result);
    GroupAssignment settled = result;
    if (assignor.name().equals("cooperative-sticky")) {
      demandOwners(input, result, true);
      settled = assignor.assign(group.owning(result.shares()).input());
    }
    demandOwners(input, settled, false);
    demandBalance(assignor.name(), input, settled);
    GroupAssignment again = assignor.assign(input.withPrevious(settled));
    demand(
        Arrays.equals(again.owners, settled.owners), "%s is assigned again as %s", settled, again);
  }

  /** As members get them, not as the result keeps them, which has room for one owner only. */
  private static void demandOwners(GroupInput input, GroupAssignment result, boolean mayWithhold) {
    Map<MemberId, Assignment> shares = result.shares();
    demand(
        shares.keySet().equals(Set.of(input.ids)), "%s does not name the group's members", result);
    PartitionIndex partitions = input.partitions;
    boolean[] given = new boolean[partitions.size()];
    for (Member member : input.members()) {
      shares
          .getOrDefault(member.id(), Assignment.empty())
          .topics()
          .forEach(
              (topic, numbers) -> {
                demand(
                    member.topics().contains(topic),
                    "%s gets some of %s and does not subscribe to it",
                    member,
                    topic);
                int t = partitions.topic(topic);
                demand(t >= 0, "%s gets some of %s, which is not there", member, topic);
                numbers.forEach(
                    p -> {
                      int place = partitions.place(t, p);
                      if (place < 0 || given[place]) {
                        throw new AssertionError(
                            "%s gets %s-%s, which %s"
                                .formatted(
                                    member,
                                    topic,
                                    p,
                                    place < 0 ? "is not there" : "another has too"));
                      }
                      given[place] = true;
                    });
              });
    }
    for (int t = 0; t < partitions.topics() && !mayWithhold; t++) {
      String topic = partitions.names[t];
      if (Arrays.stream(input.members).anyMatch(member -> member.topics().contains(topic))) {
        for (int place = partitions.starts[t]; place < partitions.starts[t + 1]; place++) {
          demand(given[place], "a partition of %s is nobody's in %s", topic, result);
        }
      }
    }
  }

  private static void demandBalance(String name, GroupInput input, GroupAssignment settled) {
    boolean alike = input.members().stream().map(Member::topics).distinct().count() == 1;
    if (alike && EVEN.contains(name)) {
      demandWithinOne(settled.loads(), "all topics");
    } else if (alike && name.equals("range")) {
      input
          .topics()
          .keySet()
          .forEach(
              topic ->
                  demandWithinOne(
                      settled.shares().values().stream()
                          .mapToInt(share -> share.partitions(topic).size())
                          .toArray(),
                      topic));
    }
  }

  private static void demandWithinOne(int[] loads, String of) {
    int difference = IntStream.of(loads).max().orElse(0) - IntStream.of(loads).min().orElse(0);
    demand(difference <= 1, "loads %s differ by more than one, of %s", Arrays.toString(loads), of);
  }

  /** Millions of times: what it says is put together only where it fails. */
  private static void demand(boolean holds, String says, Object... of) {
    if (!holds) {
      throw new AssertionError(says.formatted(of));
    }
  }
}
