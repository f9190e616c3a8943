package io.rebalancer.coordinator.simulation;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicSet;
import java.util.Set;

/**
 * What a member's subscription says.
 *
 * @param owned what it claims; of a sticky eager member what it was given last
 * @param generation of the claim
 */
record Wish(Set<String> topics, Assignment owned, int generation) {

  Wish {
    topics = TopicSet.copyOf(topics);
  }

  Member of(MemberId id) {
    return new Member(id, "", TopicSet.copyOf(topics), owned, generation, "", 1);
  }
}
