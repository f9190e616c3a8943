package io.rebalancer.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupState;
import io.rebalancer.core.model.GroupId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupListingTest {

  private final List<GroupError> refusals = new ArrayList<>();
  private final List<List<String>> answers = new ArrayList<>();
  private final GroupListing listing =
      new GroupListing(
          2,
          refusals::add,
          groups -> answers.add(groups.stream().map(group -> group.id().value()).toList()));

  private static List<GroupState> groups(String... names) {
    return List.of(names).stream().map(name -> GroupState.fresh(new GroupId(name))).toList();
  }

  @Test
  void theAnswerIsCompleteWithTheLastPartAndSortedByName() {
    listing.add(groups("c", "a"));
    assertThat(answers).isEmpty();

    listing.add(groups("b"));

    assertThat(answers).containsExactly(List.of("a", "b", "c"));
    assertThat(refusals).isEmpty();
  }

  @Test
  void onePartThatIsRefusedRefusesTheWholeWithTheFirstReason() {
    listing.refuse(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
    listing.refuse(GroupError.NOT_COORDINATOR);

    assertThat(answers).isEmpty();
    assertThat(refusals).containsExactly(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
  }
}
