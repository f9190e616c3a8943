package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A random group with weights, and what the result of an assignor is held to, counted plainly. */
record WeightedGroup(GroupInput input) {

  static WeightedGroup random(
      Random random, boolean alike, boolean capacities, int members, int topics, int each) {
    SortedMap<String, PartitionSet> known = new TreeMap<>();
    for (int t = random.nextInt(topics); t >= 0; t--) {
      known.put("t" + t, PartitionSet.range(random.nextInt(3), random.nextInt(each + 1)));
    }
    List<Member> all = new ArrayList<>();
    for (int m = random.nextInt(members); m >= 0; m--) {
      Set<String> wanted = new TreeSet<>(known.keySet());
      wanted.removeIf(topic -> !alike && random.nextInt(3) == 0);
      double capacity = capacities ? 0.1 * Math.pow(100, random.nextDouble()) : 1;
      all.add(Member.of("m" + m, wanted).withCapacity(capacity));
    }
    Collections.shuffle(all, random);
    return new WeightedGroup(GroupInput.of(known, all).withWeights(weights(random, known)));
  }

  static Map<String, double[]> weights(Random random, Map<String, PartitionSet> topics) {
    int kind = random.nextInt(6);
    Map<String, double[]> weights = new TreeMap<>();
    topics.forEach(
        (topic, set) -> {
          double[] of = new double[set.size() + 2];
          Arrays.setAll(of, p -> weight(random, kind));
          weights.put(topic, of);
        });
    return weights;
  }

  private static double weight(Random random, int kind) {
    return switch (kind) {
      case 0 -> 1;
      case 1 -> random.nextInt(10);
      case 2 -> 1000 / Math.pow(1 + random.nextInt(1000), 1.2);
      case 3 -> random.nextInt(3) == 0 ? 0 : random.nextDouble();
      case 4 -> Math.pow(10, random.nextInt(600) - 300);
      default -> 1 + random.nextDouble() / 1e6;
    };
  }

  WeightedGroup with(GroupInput other) {
    return new WeightedGroup(other);
  }

  /** Somebody owns each partition or nobody does, whatever it weighs and subscribes to. */
  GroupInput scattered(Random random) {
    int[] owners = new int[input.partitions.size()];
    int few = 1 + random.nextInt(input.ids.length);
    Arrays.setAll(owners, place -> random.nextInt(few + 1) - 1);
    return input.withPrevious(new GroupAssignment(input, owners, null));
  }

  double weight(int place) {
    return input.weights.length == 0 ? 1 : input.weights[place];
  }

  double capacity(int member) {
    return input.members[member].capacity();
  }

  double[] loads(GroupAssignment result) {
    double[] loads = new double[input.ids.length];
    for (int place = 0; place < result.owners.length; place++) {
      if (result.owners[place] != NOBODY) {
        loads[result.owners[place]] += weight(place);
      }
    }
    return loads;
  }

  double[] relative(GroupAssignment result) {
    double[] loads = loads(result);
    Arrays.setAll(loads, m -> loads[m] / capacity(m));
    return loads;
  }

  double largest(GroupAssignment result) {
    return Arrays.stream(relative(result)).max().orElse(0);
  }

  /** Partitions taken from owners that are there and subscribe. */
  int moves(GroupAssignment result) {
    int[] before = Claims.owners(input);
    int moves = 0;
    for (int place = 0; place < before.length; place++) {
      moves += before[place] != NOBODY && before[place] != result.owners[place] ? 1 : 0;
    }
    return moves;
  }

  List<Integer> subscribers(int place) {
    int topic = input.partitions.topicAt(place);
    List<Integer> found = new ArrayList<>();
    for (int m = 0; m < input.ids.length; m++) {
      if (Arrays.binarySearch(input.subscriptions[m], topic) >= 0) {
        found.add(m);
      }
    }
    return found;
  }

  void demandValid(GroupAssignment result) {
    assertThat(result.ids).containsExactly(input.ids);
    assertThat(result.owners).hasSize(input.partitions.size());
    for (int place = 0; place < result.owners.length; place++) {
      List<Integer> subscribers = subscribers(place);
      if (subscribers.isEmpty()) {
        assertThat(result.owners[place]).isEqualTo(NOBODY);
      } else {
        assertThat(subscribers).contains(result.owners[place]);
      }
    }
  }

  /** No move pays, and every member's load is within the bound, for each of its partitions. */
  void demandGuarantee(GroupAssignment result, double damping) {
    double[] loads = loads(result);
    double sum = Arrays.stream(loads).sum();
    for (int place = 0; place < result.owners.length; place++) {
      double weight = weight(place);
      if (result.owners[place] == NOBODY || weight <= sum * 0x1p-59) {
        continue;
      }
      int owner = result.owners[place];
      double relative = loads[owner] / capacity(owner);
      double all = 0;
      double capacities = 0;
      List<Integer> subscribers = subscribers(place);
      for (int m : subscribers) {
        all += loads[m];
        capacities += capacity(m);
        double slack = relative * 1e-9 + sum * 1e-15 / Math.min(capacity(m), capacity(owner));
        if (m != owner) {
          double taken = (loads[m] + weight) / capacity(m) + slack;
          if ((1 - damping) * relative > taken) { // Millions of times: assertThat is too slow.
            fail("place %d pays to move from %d (%s) to %d (%s)", place, owner, relative, m, taken);
          }
        }
      }
      double bound = (all + (subscribers.size() - 1) * weight) / ((1 - damping) * capacities);
      assertThat(relative)
          .as("place %d of %d", place, owner)
          .isLessThanOrEqualTo(bound * (1 + 1e-9) + sum * 1e-15 / capacity(owner));
    }
  }

  /** Of all assignments the least largest relative load. */
  double optimum() {
    Integer[] order = new Integer[input.partitions.size()];
    Arrays.setAll(order, place -> place);
    Arrays.sort(order, (a, b) -> Double.compare(weight(b), weight(a)));
    double[] best = {Double.POSITIVE_INFINITY};
    optimum(order, 0, new double[input.ids.length], 0, best);
    return best[0];
  }

  private void optimum(Integer[] order, int at, double[] loads, double largest, double[] best) {
    if (largest >= best[0]) {
      return;
    }
    if (at == order.length) {
      best[0] = largest;
      return;
    }
    List<Integer> takers = subscribers(order[at]);
    if (takers.isEmpty()) {
      optimum(order, at + 1, loads, largest, best);
    }
    for (int m : takers) {
      double without = loads[m];
      loads[m] += weight(order[at]);
      optimum(order, at + 1, loads, Math.max(largest, loads[m] / capacity(m)), best);
      loads[m] = without;
    }
  }
}
