package io.rebalancer.coordinator.client;

import java.util.Set;

/** When a {@link MemberState} with a pattern asks which topics there are, and what comes of it. */
final class TopicListing {

  private final MemberState state;
  private final MemberRules rules;
  private final WantedTopics wanted;

  /** They were last asked for so long ago that it is time to ask again. */
  private boolean due;

  TopicListing(MemberState state, MemberRules rules) {
    this.state = state;
    this.rules = rules;
    this.wanted = new WantedTopics(rules.topics());
  }

  WantedTopics wanted() {
    return wanted;
  }

  /** Without a connection it is done as soon as there is one. */
  void list() {
    if (state.connected) {
      state.emit(new MemberEffect.ListTopics(state.attempt));
    }
  }

  void due() {
    due = true;
    listIfDue();
  }

  /** Elsewhere than in STABLE a round is on, and was or will be begun by asking. */
  void listIfDue() {
    if (due && state.phase == MemberPhase.STABLE) {
      list();
    }
  }

  /**
   * A round goes on with what there is now. Between rounds one begins if that is something else
   * than this member joined for.
   */
  void listed(Set<String> topics) {
    due = false;
    state.emit(new MemberEffect.ArmTimer(MemberTimer.METADATA, rules.metadataMaxAge()));
    if (state.phase == MemberPhase.LISTING) {
      wanted.take(topics);
      state.revoke();
    } else if (wanted.wouldChange(topics)) {
      state.begin("topics");
    }
  }
}
