package io.rebalancer.it.differential;

import io.rebalancer.it.differential.Script.Steps;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;

/** What a group is in when a request comes; "a" leads where there is one. */
enum State {
  ABSENT("no group", dialog -> {}),
  PENDING("an id handed out", dialog -> dialog.ask("a", ApiKeys.JOIN_GROUP, 9, dialog.join("a"))),
  EMPTY(
      "Empty",
      dialog -> {
        dialog.stable("a");
        dialog.leave("a");
      }),
  COMPLETING("Completing, one member", dialog -> dialog.completing("a")),
  COMPLETING_TWO("Completing, two members", dialog -> dialog.completing("a", "b")),
  COMPLETING_PARKED(
      "Completing, a parked Sync",
      dialog -> {
        dialog.completing("a", "b");
        dialog.sync("b", false);
      }),
  STABLE("Stable, one member", dialog -> dialog.stable("a")),
  STABLE_TWO("Stable, two members", dialog -> dialog.stable("a", "b")),
  STABLE_PENDING(
      "Stable, an id handed out",
      dialog -> {
        dialog.stable("a");
        dialog.ask("p", ApiKeys.JOIN_GROUP, 9, dialog.join("p"));
      }),
  PREPARING(
      "Preparing, a new member",
      dialog -> {
        dialog.stable("a");
        dialog.enter("b");
      }),
  PREPARING_TWO(
      "Preparing, a third member",
      dialog -> {
        dialog.stable("a", "b");
        dialog.enter("c");
      }),
  STATIC_COMPLETING(
      "Completing, a static member",
      dialog -> {
        dialog.enterStatic("a", "i");
        dialog.answer("a");
      }),
  STATIC_STABLE(
      "Stable, a static member",
      dialog -> {
        dialog.enterStatic("a", "i");
        dialog.answer("a");
        dialog.sync("a", true);
        dialog.answer("a");
      }),
  STATIC_FOLLOWER(
      "Stable, a static follower",
      dialog -> {
        dialog.stable("a");
        dialog.enterStatic("b", "i");
        dialog.rejoin("a");
        dialog.answer("a");
        dialog.answer("b");
        dialog.sync("a", true);
        dialog.answer("a");
        dialog.sync("b", false);
        dialog.answer("b");
      }),
  STATIC_PREPARING(
      "Preparing, a static member that joined",
      dialog -> {
        dialog.stable("a");
        dialog.enterStatic("b", "i");
      }),
  STATIC_PARKED(
      "Completing, a static member's parked Sync",
      dialog -> {
        dialog.stable("a");
        dialog.enterStatic("b", "i");
        dialog.rejoin("a");
        dialog.answer("a");
        dialog.answer("b");
        dialog.sync("b", false);
      });

  /** Without static members. */
  static final List<State> DYNAMIC =
      Stream.of(values()).takeWhile(state -> state != STATIC_COMPLETING).toList();

  static final List<State> STATIC =
      Stream.of(values()).dropWhile(state -> state != STATIC_COMPLETING).toList();

  private final String text;
  private final Steps steps;

  State(String text, Steps steps) {
    this.text = text;
    this.steps = steps;
  }

  boolean hasMembers() {
    return this != ABSENT && this != PENDING && this != EMPTY;
  }

  void reach(Dialog dialog) throws Exception {
    dialog.quietly(steps);
  }

  @Override
  public String toString() {
    return text;
  }
}
