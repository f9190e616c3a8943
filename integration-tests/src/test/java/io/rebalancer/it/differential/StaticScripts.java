package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Static members: "i" is the instance id of the one there is, "j" of one there is not. */
final class StaticScripts {

  private StaticScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    for (State state : State.STATIC) {
      for (String instance : new String[] {"i", "j", ""}) {
        for (String role : new String[] {"a", "b", "nobody", "none"}) {
          if (instance.isEmpty() && !role.equals("a")) {
            continue;
          }
          String whose = (role.equals("none") ? "no member id" : role) + " as '" + instance + "'";
          identities(state, whose, role, instance, scripts);
        }
      }
      joins(state, scripts);
    }
    return scripts;
  }

  private static String id(Dialog dialog, String role) {
    return role.equals("none") ? "" : dialog.id(role);
  }

  private static void identities(
      State state, String whose, String role, String instance, List<Script> scripts) {
    scripts.add(
        probe(
            state,
            whose,
            ApiKeys.HEARTBEAT,
            4,
            dialog ->
                dialog.heartbeat(role).setMemberId(id(dialog, role)).setGroupInstanceId(instance)));
    scripts.add(
        probe(
            state,
            whose,
            ApiKeys.OFFSET_COMMIT,
            9,
            dialog -> {
              OffsetCommitRequestData commit = OffsetScripts.commit(dialog, role);
              return commit.setMemberId(id(dialog, role)).setGroupInstanceId(instance);
            }));
    scripts.add(
        probe(
            state,
            whose,
            ApiKeys.LEAVE_GROUP,
            5,
            dialog -> {
              LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(dialog.group());
              leave
                  .members()
                  .add(
                      new MemberIdentity()
                          .setMemberId(id(dialog, role))
                          .setGroupInstanceId(instance));
              return leave;
            }));
    // A follower's would be parked where the leader has not synced yet.
    if (state == State.STATIC_STABLE || state == State.STATIC_FOLLOWER || !role.equals("b")) {
      scripts.add(
          probe(
              state,
              whose,
              ApiKeys.SYNC_GROUP,
              3,
              dialog ->
                  dialog.sync(role).setMemberId(id(dialog, role)).setGroupInstanceId(instance)));
    }
  }

  private static Script probe(
      State state, String name, ApiKeys key, int version, Function<Dialog, ApiMessage> body) {
    return new Probe(name, key, version, "probe", false, body).in(state);
  }

  private static void joins(State state, List<Script> scripts) {
    for (int version = 5; version <= 9; version++) {
      restart(state, version, "the instance again", join -> {}, scripts);
    }
    restart(
        state,
        9,
        "the instance again, other metadata",
        join -> join.protocols().iterator().next().setMetadata(Bytes.OTHER_SUBSCRIPTION),
        scripts);
    restart(
        state,
        9,
        "the instance again, another protocol",
        join -> join.protocols().iterator().next().setName("other"),
        scripts);
    restart(
        state,
        9,
        "the instance again, another protocol first",
        join -> {
          join.protocols().clear();
          join.protocols().add(Dialog.protocol("other", Bytes.SUBSCRIPTION));
          join.protocols().add(Dialog.protocol("range", Bytes.SUBSCRIPTION));
        },
        scripts);
    restart(
        state,
        9,
        "the instance again, of another type",
        join -> join.setProtocolType("y"),
        scripts);
    restart(
        state,
        9,
        "the instance again, session too short",
        join -> join.setSessionTimeoutMs(1),
        scripts);
    if (state != State.STATIC_PREPARING) { // Whom Kafka makes the leader is chance.
      restart(state, 9, "an empty instance id", join -> join.setGroupInstanceId(""), scripts);
      restart(state, 9, "another instance", join -> join.setGroupInstanceId("j"), scripts);
    }
    restart(
        state, 9, "the instance, an id nobody has", join -> join.setMemberId("nobody"), scripts);
    restart(
        state,
        9,
        "another instance, an id nobody has",
        join -> join.setGroupInstanceId("j").setMemberId("nobody"),
        scripts);
    String known = state == State.STATIC_COMPLETING || state == State.STATIC_STABLE ? "a" : "b";
    scripts.add(rejoin(state, "the member itself", known, "i"));
    if (state != State.STATIC_PREPARING) {
      scripts.add(rejoin(state, "the member as another instance", known, "j"));
    }
    if (!known.equals("a")) {
      scripts.add(rejoin(state, "a dynamic member as the instance", "a", "i"));
    }
  }

  /** Another process joins; then those before it are asked, and the new one syncs. */
  private static void restart(
      State state,
      int version,
      String name,
      Consumer<JoinGroupRequestData> change,
      List<Script> scripts) {
    scripts.add(
        new Script(
            "JoinGroup v" + version + ", " + state + ": " + name,
            dialog -> {
              state.reach(dialog);
              JoinGroupRequestData join = dialog.join("x").setGroupInstanceId("i");
              change.accept(join);
              dialog.send("x", ApiKeys.JOIN_GROUP, version, join);
              if ((state == State.STATIC_STABLE || state == State.STATIC_FOLLOWER)
                  && name.startsWith("the instance again")) {
                dialog.answer("x"); // It is not parked, but stored first.
              }
              dialog.finish();
            }));
  }

  private static Script rejoin(State state, String name, String role, String instance) {
    return new Probe(
            name,
            ApiKeys.JOIN_GROUP,
            9,
            role,
            true,
            dialog -> dialog.join(role).setGroupInstanceId(instance))
        .in(state);
  }
}
