package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.core.model.GroupId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Requests that are not answered yet; each is answered exactly once. For one thread. */
final class OpenRequests {

  private record Open(GroupId group, Consumer<Answer> answer) {}

  private final Map<RequestId, Open> open = new HashMap<>();
  private long last;

  RequestId add(GroupId group, Consumer<Answer> answer) {
    RequestId request = new RequestId(++last);
    open.put(request, new Open(group, answer));
    return request;
  }

  /** Not when its group was dropped or given up: then it was answered already. */
  boolean isOpen(RequestId request) {
    return open.containsKey(request);
  }

  void answer(RequestId request, Answer answer) {
    Open asked = open.remove(request);
    if (asked != null) {
      asked.answer().accept(answer);
    }
  }

  /** Answers all that were asked of such groups. */
  void answerAll(Predicate<GroupId> which, GroupError error) {
    for (Map.Entry<RequestId, Open> each : new ArrayList<>(open.entrySet())) {
      if (which.test(each.getValue().group())) {
        answer(each.getKey(), new Answer.Plain(error));
      }
    }
  }
}
