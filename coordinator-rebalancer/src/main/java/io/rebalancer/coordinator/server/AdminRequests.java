package io.rebalancer.coordinator.server;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent.DeleteRequested;
import io.rebalancer.coordinator.runtime.GroupRuntime;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicSource;
import io.rebalancer.coordinator.wire.AdminMessages;
import io.rebalancer.core.model.GroupId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;

/** Requests of administrators, on their way to the groups. */
final class AdminRequests {

  private final GroupRuntime groups;
  private final TopicSource topics;

  AdminRequests(GroupRuntime groups, TopicSource topics) {
    this.groups = groups;
    this.topics = topics;
  }

  void list(RequestContext context, ListGroupsRequestData data) {
    groups.list(
        error -> context.answer().accept(new ListGroupsResponseData().setErrorCode(listing(error))),
        all -> context.answer().accept(AdminMessages.list(data, all)));
  }

  /** Who lists asks every broker, and none for being a group's coordinator. */
  private static short listing(GroupError error) {
    return (error == GroupError.NOT_COORDINATOR ? GroupError.COORDINATOR_NOT_AVAILABLE : error)
        .code();
  }

  void describe(RequestContext context, DescribeGroupsRequestData data) {
    this.<DescribedGroup>each(
        data.groups(),
        (group, answer) -> describe(context.version(), group, answer),
        all -> context.answer().accept(new DescribeGroupsResponseData().setGroups(all)));
  }

  private void describe(short version, String name, Consumer<DescribedGroup> answer) {
    Optional<GroupId> group = GroupIds.legal(name);
    if (group.isEmpty()) {
      answer.accept(AdminMessages.undescribed(name, GroupError.INVALID_GROUP_ID));
      return;
    }
    groups.describe(
        group.get(),
        error -> answer.accept(AdminMessages.undescribed(name, error)),
        found ->
            answer.accept(
                found
                    .map(AdminMessages::described)
                    .orElseGet(() -> AdminMessages.absent(version, name))));
  }

  void delete(RequestContext context, DeleteGroupsRequestData data) {
    this.<DeletableGroupResult>each(
        data.groupsNames().stream().distinct().toList(),
        this::delete,
        all -> {
          DeletableGroupResultCollection results = new DeletableGroupResultCollection();
          all.forEach(results::mustAdd);
          context.answer().accept(new DeleteGroupsResponseData().setResults(results));
        });
  }

  private void delete(String name, Consumer<DeletableGroupResult> answer) {
    Consumer<Answer> done = given -> answer.accept(AdminMessages.deleted(name, given));
    Optional<GroupId> group = GroupIds.legal(name);
    if (group.isPresent()) {
      groups.request(group.get(), RequestKind.DELETE, DeleteRequested::new, done);
    } else {
      done.accept(new Answer.Plain(GroupError.INVALID_GROUP_ID));
    }
  }

  void deleteOffsets(RequestContext context, OffsetDeleteRequestData data) {
    TopicCatalog catalog = topics.current();
    Consumer<Answer> done =
        given -> context.answer().accept(AdminMessages.offsetsDeleted(data, given, catalog));
    Optional<GroupId> group = GroupIds.legal(data.groupId());
    if (group.isPresent()) {
      groups.request(
          group.get(),
          RequestKind.OFFSET_DELETE,
          request -> AdminMessages.offsetDelete(request, data, catalog),
          done);
    } else {
      done.accept(new Answer.Plain(GroupError.INVALID_GROUP_ID));
    }
  }

  private <T> void each(
      List<String> names, BiConsumer<String, Consumer<T>> ask, Consumer<List<T>> complete) {
    if (names.isEmpty()) {
      complete.accept(List.of());
      return;
    }
    Gathered<T> gathered = new Gathered<>(names.size(), complete);
    for (int i = 0; i < names.size(); i++) {
      int place = i;
      ask.accept(names.get(place), part -> gathered.put(place, part));
    }
  }
}
