package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.GROUP_ID_NOT_FOUND;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.NON_EMPTY_GROUP;

import io.rebalancer.coordinator.group.GroupEvent.DeleteRequested;
import io.rebalancer.coordinator.group.GroupEvent.OffsetDeleteRequested;
import io.rebalancer.coordinator.group.GroupEvent.OffsetsExpired;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * DeleteGroups and OffsetDelete (Kafka 4.4.0: {@code ClassicGroup.validateDeleteGroup} and {@code
 * validateOffsetDelete}), and the end of a group that nobody needs any more.
 */
final class Deletion {

  private Deletion() {}

  /** Ids that were handed out do not keep an Empty group; their clients are told to begin anew. */
  static Step on(GroupState group, DeleteRequested delete) {
    Draft draft = new Draft(group);
    switch (group.phase()) {
      case DEAD -> draft.reply(delete.request(), new Answer.Plain(GROUP_ID_NOT_FOUND));
      case PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE, ASSIGNING, RECONCILING ->
          draft.reply(delete.request(), new Answer.Plain(NON_EMPTY_GROUP));
      case EMPTY -> {
        for (MemberId id : new ArrayList<>(draft.pending)) {
          draft.cancel(Kind.PENDING, id);
        }
        draft.pending.clear();
        draft.moveTo(GroupPhase.DEAD, Reason.DELETED);
        draft.add(new GroupEffect.Forget(delete.request()));
      }
    }
    return draft.done();
  }

  static Step on(GroupState group, OffsetsExpired expired) {
    Draft draft = new Draft(group);
    if (group.phase() == GroupPhase.EMPTY && group.waiting().pending().isEmpty()) {
      draft.moveTo(GroupPhase.DEAD, Reason.OFFSETS_EXPIRED);
      draft.add(new GroupEffect.Forget(null));
    }
    return draft.done();
  }

  /** Positions of a topic that a live consumer wants stay; other kinds of live groups lose none. */
  static Step on(GroupState group, OffsetDeleteRequested delete) {
    GroupError refused =
        group.phase() == GroupPhase.DEAD
            ? GROUP_ID_NOT_FOUND
            : group.phase() == GroupPhase.EMPTY || group.isOfConsumers() ? NONE : NON_EMPTY_GROUP;
    GroupEffect effect;
    if (refused != NONE) {
      effect = new GroupEffect.Reply(delete.request(), new Answer.Plain(refused));
    } else {
      Set<String> subscribed = new TreeSet<>();
      Set<TopicPartition> free = new LinkedHashSet<>();
      for (TopicPartition partition : delete.partitions()) {
        if (group.wants(partition.topic())) {
          subscribed.add(partition.topic());
        } else {
          free.add(partition);
        }
      }
      effect =
          new GroupEffect.DeleteOffsets(
              delete.request(), free, new Answer.OffsetsDeleted(NONE, subscribed));
    }
    return new Step(group, List.of(effect));
  }
}
