package io.rebalancer.zk;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Set;

/** Which story of the original is reproduced: its documentation's, or that of a release. */
public enum Profile {
  /**
   * As documented: every consumer watches the children of its group's ids and of /brokers/ids, and
   * its topics. Everything else as {@link #V1_1}.
   */
  DOCUMENTED("documented", true),
  /**
   * As kafka 1.1.1 does: /brokers/ids is watched only after an attempt found no broker, and then
   * for the rest of that consumer's life.
   */
  V1_1("1.1", false);

  /** The second came with kafka 0.11. */
  private static final Set<String> INTERNAL_TOPICS =
      Set.of("__consumer_offsets", "__transaction_state");

  private final String text;
  private final boolean watchesBrokers;

  Profile(String text, boolean watchesBrokers) {
    this.text = text;
    this.watchesBrokers = watchesBrokers;
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

  /** What {@code exclude.internal.topics} keeps from wildcards. */
  Set<String> internalTopics() {
    return INTERNAL_TOPICS;
  }

  boolean watchesBrokers() {
    return watchesBrokers;
  }

  /** The name {@link #parse} reads. */
  @Override
  public String toString() {
    return text;
  }
}
