package io.rebalancer.core.ledger;

import static io.rebalancer.core.ledger.LedgerEntry.Kind.ASSIGNED;
import static io.rebalancer.core.ledger.LedgerEntry.Kind.CLAIMED;
import static io.rebalancer.core.ledger.LedgerEntry.Kind.GRANTED;
import static io.rebalancer.core.ledger.LedgerEntry.Kind.LOST;
import static io.rebalancer.core.ledger.LedgerEntry.Kind.REVOKED;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.ledger.LedgerVerdict.Rule;
import io.rebalancer.core.ledger.LedgerVerdict.Violation;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerCheckerTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);

  private static LedgerEntry entry(long at, Kind kind, String member, long czxid) {
    return new LedgerEntry(
        at,
        kind,
        new GroupId("g"),
        member,
        Assignment.of("t", PartitionSet.of(0)),
        FencingToken.ofOwnerNode(czxid));
  }

  private static List<Rule> rulesBroken(LedgerEntry... entries) {
    return LedgerChecker.check(List.of(entries), 1000).violations().stream()
        .map(Violation::rule)
        .toList();
  }

  @Test
  void aHandoverInOrderIsValid() {
    assertThat(
            rulesBroken(
                entry(1, CLAIMED, "a", 5),
                entry(2, ASSIGNED, "a", 5),
                entry(10, REVOKED, "a", 5),
                entry(11, CLAIMED, "b", 7),
                entry(12, ASSIGNED, "b", 7)))
        .isEmpty();
  }

  @Test
  void twoMembersAtOnceAreFoundWithTheTimeTheyOverlap() {
    var verdict =
        LedgerChecker.check(
            List.of(
                entry(1, CLAIMED, "a", 5),
                entry(2, ASSIGNED, "a", 5),
                entry(11, CLAIMED, "b", 7),
                entry(12, ASSIGNED, "b", 7),
                entry(20, LOST, "a", 5)),
            1000);

    assertThat(verdict.violations())
        .containsExactly(
            new Violation(
                Rule.TWO_OWNERS,
                T0,
                "b",
                FencingToken.ofOwnerNode(7),
                "a",
                FencingToken.ofOwnerNode(5),
                12,
                8));
    assertThat(verdict.violations().get(0))
        .hasToString(
            "t-0: b (FencingToken[czxid=7, generation=0]) processed it while a"
                + " (FencingToken[czxid=5, generation=0]) did, for 0.000 ms");
  }

  @Test
  void anOverlapThatNeverEndsIsCountedToTheEndOfTheRun() {
    var entries =
        List.of(
            entry(1, CLAIMED, "a", 5),
            entry(2, ASSIGNED, "a", 5),
            entry(3, CLAIMED, "b", 7),
            entry(4, ASSIGNED, "b", 7));

    assertThat(OwnershipTimeline.of(entries).doubleOwnedNanos(1000)).isEqualTo(996);
    assertThat(LedgerChecker.check(entries, 1000).violations())
        .extracting(Violation::overlapNanos)
        .containsExactly(996L);
  }

  @Test
  void aTokenThatFallsIsFoundEvenWithoutAnOverlap() {
    assertThat(
            rulesBroken(
                entry(1, CLAIMED, "a", 9),
                entry(2, ASSIGNED, "a", 9),
                entry(3, REVOKED, "a", 9),
                entry(4, CLAIMED, "b", 7),
                entry(5, ASSIGNED, "b", 7)))
        .containsExactly(Rule.TOKEN_FELL);
  }

  @Test
  void processingWithoutAClaimOrGrantIsFound() {
    assertThat(rulesBroken(entry(1, CLAIMED, "b", 5), entry(2, ASSIGNED, "a", 5)))
        .containsExactly(Rule.NO_RIGHT);
  }

  @Test
  void aMemberThatKeepsAPartitionOverGenerationsIsValid() {
    LedgerEntry granted = entry(1, GRANTED, "a", 5);
    LedgerEntry again = entry(5, GRANTED, "a", 6);

    assertThat(
            rulesBroken(
                granted,
                entry(2, ASSIGNED, "a", 5),
                entry(4, REVOKED, "a", 5),
                again,
                entry(6, ASSIGNED, "a", 6)))
        .isEmpty();
  }

  @Test
  void unownedTimeIsWhatNoIntervalCovers() {
    var timeline =
        OwnershipTimeline.of(
            List.of(
                entry(0, ASSIGNED, "a", 5),
                entry(10, REVOKED, "a", 5),
                entry(25, ASSIGNED, "b", 7),
                entry(40, LOST, "b", 7)));

    assertThat(timeline.unownedNanos(T0, 5, 30)).isEqualTo(15);
    assertThat(timeline.unownedNanos(T0, 5, 50)).isEqualTo(25);
    assertThat(timeline.unownedNanos(new TopicPartition("t", 1), 5, 50)).isEqualTo(45);
  }
}
