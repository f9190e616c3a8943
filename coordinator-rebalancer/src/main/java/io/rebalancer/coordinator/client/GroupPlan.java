package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.Map;
import java.util.SortedSet;

/** What a group leader knows of its group; the topics' partitions are all that is missing. */
interface GroupPlan {

  /** All that somebody subscribes to. */
  SortedSet<String> topics();

  /** What each member is to get. */
  Map<MemberId, Assignment> shares(KnownTopics topics);
}
