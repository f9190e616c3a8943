package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.function.Function;

/** One request on its way: what it says of its sender, and the event it becomes. */
record Ask(
    RequestKind kind,
    MemberModel sender,
    String memberId,
    int generation,
    Map<TopicPartition, CommittedOffset> offsets,
    Function<RequestId, GroupEvent> event) {

  @Override
  public String toString() {
    return kind + " of " + sender.name + " as '" + memberId + "' generation " + generation;
  }
}
