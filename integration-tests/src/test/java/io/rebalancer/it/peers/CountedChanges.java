package io.rebalancer.it.peers;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Subscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The changes that a group is taken through, with the reads that each costs by the model: an
 * attempt reads every registration, the topic, each broker twice and six times more; a watch that
 * fired is set again with two reads, and every claim is preceded by its offset's.
 */
final class CountedChanges {

  static final String TOPIC = "t";
  private static final String NEWCOMER = "c55";

  /** The last of the group's order, which has the smaller share. */
  private static final String LOSER = "c9";

  private final int members;
  private final List<Change> all;

  CountedChanges(PeerRelease release, int members, int brokers, int partitions, int more) {
    this.members = members;
    int joined = members + 1;
    int extra = brokers + 1;
    int chroot = release == PeerRelease.V0_8_2_2 ? 0 : 1;
    this.all =
        List.of(
            // The newcomer sets three watches, and from 0.9 on looks for the chroot.
            new Change(
                "join",
                members,
                joined,
                brokers,
                attempts(joined, brokers) + partitions + 2L * members + 3 + chroot,
                run -> run.group().join(NEWCOMER),
                run -> run.group().leave(NEWCOMER)),
            new Change(
                "leave",
                members + 1,
                members,
                brokers,
                attempts(members, brokers) + partitions + 2L * members,
                run -> run.group().leave(NEWCOMER),
                run -> run.group().join(NEWCOMER)),
            new Change(
                "partitions added",
                members,
                members,
                brokers,
                attempts(members, brokers) + more + 2L * members,
                run -> run.stage().setPartitions(TOPIC, more),
                run -> run.stage().setPartitions(TOPIC, partitions)),
            new Change(
                "topic touched",
                members,
                members,
                brokers,
                attempts(members, brokers) + more + 2L * members,
                run -> run.stage().setPartitions(TOPIC, more),
                run -> {}),
            // The others rebalance when it goes and when it is back, it itself three times (D18):
            // for
            // the new session, and for each of its two watches, as if they had fired. One read is
            // the
            // test's, for the session's id.
            new Change(
                "session lost",
                2 * (members - 1),
                2 * (members - 1) + 3,
                brokers,
                attempts(members - 1, members - 1, brokers)
                    + attempts(members + 2, members, brokers)
                    + 2L * (2 * (members - 1) + 2)
                    + 2L * more
                    + 2L * (more / members)
                    + 1,
                run -> run.stage().expire(LOSER),
                run -> {}),
            new Change(
                "broker added",
                0,
                0,
                brokers,
                0,
                run -> run.stage().addBroker(extra),
                run -> run.stage().removeBroker(extra)),
            // An attempt reads its registration, lists brokers twice, and sets two watches.
            new Change(
                "topic touched without brokers",
                members,
                members,
                0,
                members * (2L + 5),
                run -> run.stage().setPartitions(TOPIC, more),
                run -> {}),
            new Change(
                "first broker",
                members,
                members,
                1,
                attempts(members, 1) + more + 2L * members,
                run -> run.stage().addBroker(1),
                run -> run.stage().removeBroker(1)),
            new Change(
                "second broker",
                members,
                members,
                2,
                attempts(members, 2) + more + 2L * members,
                run -> run.stage().addBroker(2),
                run -> run.stage().removeBroker(2)));
  }

  /**
   * One change.
   *
   * @param events watch events it fires; after a leave one to the leaver
   * @param attempts what it leads to
   * @param brokers those that the attempts see
   * @param reads without the leader finder's
   */
  private record Change(
      String name,
      int events,
      int attempts,
      int brokers,
      long reads,
      Action make,
      Action takeBack) {

    /** The original's, after each attempt that saw brokers: it lists them, and reads each. */
    long leaderFinderReads() {
      return brokers == 0 ? 0 : attempts * (1L + brokers);
    }
  }

  private interface Action {
    void take(CountedRun run);
  }

  private static long attempts(int members, int brokers) {
    return attempts(members, members, brokers);
  }

  private static long attempts(int attempts, int registered, int brokers) {
    return attempts * (registered + 1L + 2L * brokers + 6);
  }

  List<String> names() {
    return all.stream().map(Change::name).toList();
  }

  long leaderFinderReads(String name) {
    return all.stream()
        .filter(change -> change.name().equals(name))
        .mapToLong(Change::leaderFinderReads)
        .sum();
  }

  /** Starts the group and takes it through all of them; {@code real} ones have a leader finder. */
  Map<String, Counts> count(CountedRun run, boolean real) {
    IntStream.range(0, members).forEach(i -> run.group().join("c" + i));
    run.awaitQuiet();
    Map<String, Counts> costs = new LinkedHashMap<>();
    for (Change change : all) {
      if (change.brokers() == 0) {
        run.stage().brokers().forEach(run.stage()::removeBroker);
      }
      long reads = change.reads() + (real ? change.leaderFinderReads() : 0);
      costs.put(
          change.name(),
          run.countAlone(
              change.events(),
              reads,
              () -> change.make().take(run),
              () -> change.takeBack().take(run)));
    }
    run.stage()
        .awaitOwners("in the end", run.stage().expectedOwners(new RangeAssignor(), remaining()));
    return costs;
  }

  private Map<String, Subscription> remaining() {
    Map<String, Subscription> remaining = new TreeMap<>();
    IntStream.range(0, members)
        .forEach(i -> remaining.put("c" + i, Subscription.copyOf(Map.of(TOPIC, 1))));
    return remaining;
  }
}
