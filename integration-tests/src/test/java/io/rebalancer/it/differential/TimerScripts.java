package io.rebalancer.it.differential;

import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** What happens when nothing does. */
final class TimerScripts {

  private static final Consumer<JoinGroupRequestData> SHORT_SESSION =
      join -> join.setSessionTimeoutMs((int) KafkaBroker.MIN_SESSION.toMillis());
  private static final Consumer<JoinGroupRequestData> SHORT_REBALANCE =
      join -> join.setRebalanceTimeoutMs(1_000);

  private TimerScripts() {}

  static List<Script> all() {
    return List.of(
        new Script(
            "timers: a member's session",
            dialog -> {
              dialog.enter("a", SHORT_SESSION);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.awaitState("Empty"::equals);
              dialog.finish();
            }),
        new Script(
            "timers: a follower's session",
            dialog -> {
              two(dialog, SHORT_SESSION);
              dialog.awaitState("PreparingRebalance"::equals);
              dialog.beats();
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.finish();
            }),
        new Script(
            "timers: a static member's session",
            dialog -> {
              dialog.enterStatic("a", "i", SHORT_SESSION);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.describe();
              dialog.awaitState("Empty"::equals);
              dialog.describe();
              dialog.ask("a", ApiKeys.HEARTBEAT, 4, dialog.heartbeat("a").setGroupInstanceId("i"));
              dialog.enterStatic("b", "i");
              dialog.answer("b");
              dialog.sync("b", true);
              dialog.answer("b");
              dialog.describe();
              dialog.ask("a", ApiKeys.HEARTBEAT, 4, dialog.heartbeat("a").setGroupInstanceId("i"));
              dialog.rejoin("a", join -> join.setGroupInstanceId("i"));
              dialog.answer("a");
              dialog.finish();
            }),
        new Script(
            "timers: a static follower's session",
            dialog -> {
              dialog.stable("a");
              dialog.enterStatic("b", "i", SHORT_SESSION);
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.answer("b");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.sync("b", false);
              dialog.answer("b");
              dialog.describe();
              dialog.awaitState("PreparingRebalance"::equals);
              dialog.describe();
              dialog.beats();
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.enterStatic("c", "i");
              dialog.noteState();
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.answer("c");
              dialog.finish();
            }),
        new Script(
            "timers: a session while its Sync is parked",
            dialog -> {
              dialog.stable("a");
              dialog.enter("b", SHORT_SESSION);
              dialog.enter("c", SHORT_SESSION);
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.answer("b");
              dialog.answer("c");
              dialog.sync("b", false);
              // c is silent, b waits; c's end gives b its answer.
              dialog.answer("b");
              dialog.beats();
              dialog.finish();
            }),
        new Script(
            "timers: an id handed out",
            dialog -> {
              dialog.stable("a");
              JoinGroupRequestData join = dialog.join("p");
              SHORT_SESSION.accept(join);
              dialog.ask("p", ApiKeys.JOIN_GROUP, 9, join);
              dialog.rejoin("a");
              dialog.answer("a");
              dialog.beats();
              dialog.finish();
            }),
        new Script(
            "timers: a join phase that the leader misses",
            dialog -> {
              dialog.enter("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.enter("b", SHORT_REBALANCE);
              dialog.answer("b");
              dialog.finish();
            }),
        new Script(
            "timers: a join phase that a static leader misses",
            dialog -> {
              dialog.enterStatic("a", "i", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.enter("b", SHORT_REBALANCE);
              dialog.answer("b");
              dialog.beats();
              dialog.finish();
            }),
        new Script(
            "timers: nobody syncs",
            dialog -> {
              dialog.enter("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.awaitState("Empty"::equals);
              dialog.finish();
            }),
        new Script(
            "timers: the leader does not sync",
            dialog -> {
              dialog.enter("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.enter("b", SHORT_REBALANCE);
              dialog.rejoin("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.answer("b");
              dialog.sync("b", false);
              dialog.answer("b");
              dialog.beats();
              dialog.finish();
            }),
        new Script(
            "timers: a follower does not sync",
            dialog -> {
              dialog.enter("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.enter("b", SHORT_REBALANCE);
              dialog.rejoin("a", SHORT_REBALANCE);
              dialog.answer("a");
              dialog.answer("b");
              dialog.sync("a", true);
              dialog.answer("a");
              dialog.awaitState("PreparingRebalance"::equals);
              dialog.beats();
              dialog.finish();
            }));
  }

  /** Stable, led by a; b joins as {@code change} says. */
  private static void two(Dialog dialog, Consumer<JoinGroupRequestData> change) throws Exception {
    dialog.stable("a");
    dialog.enter("b", change);
    dialog.rejoin("a");
    dialog.answer("a");
    dialog.answer("b");
    dialog.sync("a", true);
    dialog.answer("a");
    dialog.sync("b", false);
    dialog.answer("b");
  }
}
