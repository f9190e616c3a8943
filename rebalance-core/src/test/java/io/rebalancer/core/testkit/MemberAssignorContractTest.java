package io.rebalancer.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.CooperativeStickyAssignor;
import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.assignor.member.StickyAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** The contract itself: each planted fault fails the test that is there for it. */
class MemberAssignorContractTest {

  private static final String VALID = "everyPartitionHasOneOwnerWhoSubscribesToIt";
  private static final String SETTLED = "onceAllIsSettledEveryPartitionThatSomebodyWantsHasAnOwner";
  private static final String LATER = "ofTwoClaimsToOnePartitionTheLaterGenerationIsBelieved";
  private static final String HELD_BACK = "whatSomebodyMayStillHaveIsNotGivenToAnother";

  /** An assignor that is right but for one thing, and what it says of itself. */
  private abstract static class Planted extends MemberAssignorContract {
    private final MemberAssignor assignor;
    private boolean sticky;
    private boolean withholds;
    private int largestDifference = Integer.MAX_VALUE;
    private Duration patience = Duration.ofMinutes(1);

    Planted(MemberAssignor assignor) {
      this.assignor = assignor;
    }

    @Override
    protected MemberAssignor assignor() {
      return assignor;
    }

    @Override
    protected boolean sticky() {
      return sticky;
    }

    @Override
    protected boolean withholds() {
      return withholds;
    }

    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? largestDifference : Integer.MAX_VALUE;
    }

    @Override
    int groupsPerSeed() {
      return 5;
    }

    @Override
    protected Duration patience() {
      return patience;
    }

    /** Abstract, so that nobody takes it for a test to run. */
    static Planted of(MemberAssignor assignor) {
      return new Planted(assignor) {};
    }

    /** By the name of each test that fails what it says. */
    SortedMap<String, String> failures() {
      SortedMap<String, String> failures = new TreeMap<>();
      for (Method test : MemberAssignorContract.class.getDeclaredMethods()) {
        if (test.isAnnotationPresent(Test.class)) {
          failure(test).ifPresent(says -> failures.put(test.getName(), says));
        }
      }
      return failures;
    }

    private Optional<String> failure(Method test) {
      try {
        test.invoke(this);
        return Optional.empty();
      } catch (InvocationTargetException e) {
        Throwable failure = e.getCause();
        return failure instanceof TestAbortedException
            ? Optional.empty()
            : Optional.of(String.valueOf(failure.getMessage()));
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
  }

  private interface Assigning extends MemberAssignor {
    @Override
    default String name() {
      return "planted";
    }
  }

  /** What sticky gives, changed. */
  private static Assigning changed(Change change) {
    return group -> {
      SortedMap<MemberId, Assignment> shares =
          new TreeMap<>(new StickyAssignor().assign(group).shares());
      change.in(group, shares);
      return GroupAssignment.of(group, shares);
    };
  }

  private interface Change {
    void in(GroupInput group, SortedMap<MemberId, Assignment> shares);
  }

  private static Optional<TopicPartition> first(Assignment share) {
    return share.stream().findFirst();
  }

  private static Assignment only(TopicPartition partition) {
    return Assignment.ofPartitions(List.of(partition));
  }

  private static void hand(
      SortedMap<MemberId, Assignment> shares,
      TopicPartition partition,
      MemberId from,
      MemberId to) {
    shares.merge(from, only(partition), Assignment::minus);
    shares.merge(to, only(partition), Assignment::plus);
  }

  @Test
  void oneThatIsRightFailsNothing() {
    Planted cooperative = Planted.of(new CooperativeStickyAssignor());
    cooperative.sticky = true;
    cooperative.withholds = true;
    cooperative.largestDifference = 1;

    assertThat(cooperative.failures()).isEmpty();
  }

  @Test
  void aLostPartitionFailsAndTheSeedThatReplaysItIsNamed() {
    Assigning losing =
        changed(
            (group, shares) ->
                shares.replaceAll(
                    (id, share) -> first(share).map(p -> share.minus(only(p))).orElse(share)));

    Map<String, String> failures = Planted.of(losing).failures();

    assertThat(failures).containsKeys(VALID, SETTLED);
    assertThat(failures.get(VALID))
        .containsPattern(
            "planted, seed (\\d+) \\(replay it with -Drebalancer.seed=\\1\\), group topics ");
  }

  @Test
  void aPartitionGivenTwiceFails() {
    Assigning doubling =
        changed(
            (group, shares) ->
                first(shares.values().stream().reduce(Assignment.empty(), Assignment::plus))
                    .ifPresent(p -> shares.replaceAll((id, share) -> share.plus(only(p)))));

    assertThat(Planted.of(doubling).failures().get(VALID)).contains("seed", " is m");
  }

  @Test
  void aPartitionGivenToOneWhoDoesNotSubscribeFails() {
    Assigning careless =
        changed(
            (group, shares) -> {
              for (Member member : group.members()) {
                for (Map.Entry<MemberId, Assignment> share : Map.copyOf(shares).entrySet()) {
                  share.getValue().stream()
                      .filter(p -> !member.topics().contains(p.topic()))
                      .findFirst()
                      .ifPresent(p -> hand(shares, p, share.getKey(), member.id()));
                }
              }
            });

    assertThat(Planted.of(careless).failures()).containsKey(VALID);
  }

  @Test
  void anAnswerForAnotherGroupFails() {
    Assigning forgetful =
        group ->
            new StickyAssignor()
                .assign(
                    group.withMembers(
                        group.members().subList(0, Math.max(0, group.members().size() - 1))));

    assertThat(Planted.of(forgetful).failures()).containsKey(VALID);
  }

  @Test
  void anAnswerThatDependsOnMoreThanTheGroupFails() {
    AtomicInteger calls = new AtomicInteger();
    Assigning counting =
        changed(
            (group, shares) -> {
              if (calls.incrementAndGet() % 3 == 0) {
                turn(group, shares);
              }
            });

    assertThat(Planted.of(counting).failures())
        .containsKeys(
            "theOrderInWhichAGroupIsPutTogetherDoesNotMatter",
            "callsDoNotDisturbEachOtherAlsoFromSeveralThreads");
  }

  /** Neighbours that subscribe alike hand their shares on. */
  private static void turn(GroupInput group, SortedMap<MemberId, Assignment> shares) {
    List<Member> members = group.members();
    for (int i = 1; i < members.size(); i++) {
      Member one = members.get(i - 1);
      Member next = members.get(i);
      if (one.topics().equals(next.topics())) {
        shares.put(one.id(), shares.put(next.id(), shares.get(one.id())));
      }
    }
  }

  @Test
  void movesWithoutNeedFail() {
    Assigning anew =
        group ->
            new StickyAssignor()
                .assign(
                    GroupInput.of(
                        group.topics(),
                        group.members().stream()
                            .map(m -> m.owning(Assignment.empty(), m.generation()))
                            .toList()));
    Planted planted = Planted.of(anew);
    planted.sticky = true;

    assertThat(planted.failures())
        .containsOnlyKeys("membersThatAreAlikeMayHaveEachOthersShares", LATER);
  }

  @Test
  void anOlderClaimBelievedFails() {
    Assigning nostalgic =
        group ->
            new StickyAssignor()
                .assign(
                    group.withMembers(
                        group.members().stream()
                            .map(m -> m.owning(m.owned(), -m.generation()))
                            .toList()));
    Planted planted = Planted.of(nostalgic);
    planted.sticky = true;

    assertThat(planted.failures()).containsOnlyKeys(LATER);
    assertThat(planted.failures().get(LATER)).contains("b is right");
  }

  @Test
  void sharesThatGoRoundFail() {
    Assigning rotating = changed(MemberAssignorContractTest::turn);

    assertThat(Planted.of(rotating).failures()).containsKey("assigningAgainMovesNothing");
  }

  @Test
  void claimsThatDoNotCountFail() {
    Assigning deaf =
        group ->
            group.previous().isPresent()
                ? new StickyAssignor().assign(group)
                : new StickyAssignor()
                    .assign(
                        group.withMembers(
                            group.members().stream()
                                .map(m -> m.owning(Assignment.empty(), m.generation()))
                                .toList()));

    assertThat(Planted.of(deaf).failures())
        .containsKey("whatMembersClaimCountsAsMuchAsThePreviousAssignment");
  }

  @Test
  void lessBalanceThanDeclaredFails() {
    Assigning toTheFirst =
        changed(
            (group, shares) -> {
              for (Map.Entry<MemberId, Assignment> share : Map.copyOf(shares).entrySet()) {
                share.getValue().stream()
                    .forEach(
                        p ->
                            hand(
                                shares,
                                p,
                                share.getKey(),
                                group.members().stream()
                                    .filter(m -> m.topics().contains(p.topic()))
                                    .findFirst()
                                    .orElseThrow()
                                    .id()));
              }
            });
    Planted planted = Planted.of(toTheFirst);
    planted.largestDifference = 1;

    assertThat(planted.failures()).containsOnlyKeys("loadsDifferByNoMoreThanItSays");
  }

  @Test
  void aHandOverInTheRoundOfTheReleaseFails() {
    Planted planted = Planted.of(new StickyAssignor());
    planted.withholds = true;

    assertThat(planted.failures()).containsOnlyKeys(HELD_BACK);
  }

  @Test
  void whatIsWithheldForEverFails() {
    Assigning neverGiving =
        group -> {
          SortedMap<MemberId, Assignment> shares =
              new TreeMap<>(new CooperativeStickyAssignor().assign(group).shares());
          group
              .members()
              .forEach(
                  m ->
                      shares.compute(
                          m.id(),
                          (id, share) ->
                              first(m.owned()).map(p -> share.minus(only(p))).orElse(share)));
          return GroupAssignment.of(group, shares);
        };
    Planted planted = Planted.of(neverGiving);
    planted.withholds = true;

    assertThat(planted.failures()).containsKey(SETTLED);
  }

  @Test
  void anErrorOnAnEmptyGroupFails() {
    Assigning dividing =
        group -> {
          if (group.members().isEmpty()) {
            throw new ArithmeticException("/ by zero");
          }
          return new StickyAssignor().assign(group);
        };

    assertThat(Planted.of(dividing).failures())
        .containsKeys("aGroupWithoutMembersOrTopicsGetsNothing", VALID)
        .containsEntry("aGroupWithoutMembersOrTopicsGetsNothing", "/ by zero");
  }

  @Test
  void oneThatNeverEndsFails() {
    Assigning endless =
        group -> {
          while (!Thread.interrupted()) {
            LockSupport.park();
          }
          throw new IllegalStateException("stopped by the test");
        };
    Planted planted = Planted.of(endless);
    planted.patience = Duration.ofMillis(50);

    assertThat(planted.failures().get(VALID)).contains("seed 1 ", "timed out");
  }
}
