package io.rebalancer.zk;

import static java.util.stream.Collectors.joining;

import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.zk.registry.Release;
import java.util.Arrays;
import java.util.Set;

/** Which story of the original is reproduced: its documentation's, or that of a release. */
public enum Profile {
  /**
   * As documented: every consumer watches the children of its group's ids and of /brokers/ids, and
   * its topics. Everything else as {@link #V1_1}.
   */
  DOCUMENTED("documented", Release.V1_1),
  /**
   * As kafka 1.1.1 does: /brokers/ids is watched only after an attempt found no broker, and then
   * for the rest of that consumer's life.
   */
  V1_1("1.1", Release.V1_1),
  /**
   * As kafka 0.8.2.2 does. It watches what {@link #V1_1} watches; round robin has another order and
   * demands equal subscriptions, an id that is taken is waited for, and a number beyond 32 bits in
   * any JSON stops the consumer.
   */
  V0_8("0.8", Release.V0_8),
  /**
   * As kafka 0.7 watched: the children of each topic's znode, where its brokers were, in place of
   * the topic's data. In the layout of 0.8 partitions are in the data, so that nobody notices when
   * some are added. Everything else as {@link #V0_8}.
   */
  V0_7("0.7", Release.V0_8);

  private static final String OFFSETS = "__consumer_offsets";

  /** Came with kafka 0.11. */
  private static final String TRANSACTIONS = "__transaction_state";

  private final String text;
  private final Release release;

  Profile(String text, Release release) {
    this.text = text;
    this.release = release;
  }

  /** Throws {@link IllegalArgumentException} naming the known ones. */
  public static Profile parse(String text) {
    for (Profile profile : values()) {
      if (profile.text.equals(text)) {
        return profile;
      }
    }
    throw new IllegalArgumentException(
        "profile: \""
            + text
            + "\" (expected: one of "
            + Arrays.stream(values()).map(Profile::toString).collect(joining(", "))
            + ")");
  }

  Release release() {
    return release;
  }

  RoundRobinAssignor.Release roundRobin() {
    return release == Release.V0_8
        ? RoundRobinAssignor.Release.V0_8_2
        : RoundRobinAssignor.Release.V1_0;
  }

  /** What {@code exclude.internal.topics} keeps from wildcards. */
  Set<String> internalTopics() {
    return release == Release.V0_8 ? Set.of(OFFSETS) : Set.of(OFFSETS, TRANSACTIONS);
  }

  /** Whether /brokers/ids is watched from the start. */
  public boolean watchesBrokers() {
    return this == DOCUMENTED;
  }

  /** Whether the children of a topic's znode are watched in place of its data. */
  public boolean watchesTopicChildren() {
    return this == V0_7;
  }

  /** The name {@link #parse} reads. */
  @Override
  public String toString() {
    return text;
  }
}
