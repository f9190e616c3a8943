package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.ApiKeys;

/** Join, Sync, Heartbeat and Leave of dynamic members. */
final class MemberScripts {

  private static final List<State> ALL = State.DYNAMIC;
  private static final List<State> FEW =
      List.of(State.ABSENT, State.COMPLETING, State.STABLE, State.PREPARING);

  private MemberScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    scripts.addAll(Probe.in(ALL, heartbeats(4)));
    scripts.addAll(Probe.in(ALL, syncs(5)));
    for (Probe join : joins(9)) {
      boolean ofB = join.role().equals("b");
      // Whom Kafka makes the leader of two that have joined when the leader goes is chance.
      scripts.addAll(
          Probe.in(
              ALL.stream().filter(each -> !ofB || each != State.PREPARING_TWO).toList(),
              List.of(join)));
    }
    scripts.addAll(Probe.in(ALL, leaves(5)));
    for (int version = 0; version < 4; version++) {
      scripts.addAll(Probe.in(FEW, heartbeats(version).subList(0, 2)));
    }
    for (int version = 0; version < 5; version++) {
      scripts.addAll(Probe.in(FEW, syncs(version).subList(0, 2)));
    }
    for (int version = 0; version < 9; version++) {
      List<Probe> joins = joins(version);
      scripts.addAll(Probe.in(version < 4 ? FEW.subList(0, 3) : FEW, List.of(joins.get(0))));
      scripts.addAll(Probe.in(FEW, joins.subList(1, 4)));
    }
    for (int version = 0; version < 5; version++) {
      scripts.addAll(Probe.in(FEW, leaves(version).subList(0, 2)));
    }
    return scripts;
  }

  private static Probe heartbeat(
      String name, int version, String role, BiConsumer<Dialog, HeartbeatRequestData> change) {
    return new Probe(
        name,
        ApiKeys.HEARTBEAT,
        version,
        "probe",
        false,
        dialog -> {
          HeartbeatRequestData beat = dialog.heartbeat(role);
          change.accept(dialog, beat);
          return beat;
        });
  }

  private static List<Probe> heartbeats(int version) {
    List<Probe> probes = new ArrayList<>();
    probes.add(heartbeat("a's", version, "a", (dialog, beat) -> {}));
    probes.add(
        heartbeat(
            "of a later generation",
            version,
            "a",
            (dialog, beat) -> beat.setGenerationId(beat.generationId() + 1)));
    probes.add(heartbeat("b's", version, "b", (dialog, beat) -> {}));
    probes.add(
        heartbeat(
            "of an earlier generation",
            version,
            "a",
            (dialog, beat) -> beat.setGenerationId(beat.generationId() - 1)));
    probes.add(
        heartbeat("generation -1", version, "a", (dialog, beat) -> beat.setGenerationId(-1)));
    probes.add(heartbeat("nobody's", version, "nobody", (dialog, beat) -> {}));
    probes.add(heartbeat("no member id", version, "a", (dialog, beat) -> beat.setMemberId("")));
    probes.add(heartbeat("no group id", version, "a", (dialog, beat) -> beat.setGroupId("")));
    probes.add(heartbeat("of an id handed out", version, "p", (dialog, beat) -> {}));
    if (version >= 3) {
      probes.add(
          heartbeat(
              "an unknown instance id",
              version,
              "a",
              (dialog, beat) -> beat.setGroupInstanceId("unknown")));
    }
    return probes;
  }

  private static Probe sync(
      String name, int version, String role, BiConsumer<Dialog, SyncGroupRequestData> change) {
    return new Probe(
        name,
        ApiKeys.SYNC_GROUP,
        version,
        "probe",
        role.equals("b"),
        dialog -> {
          SyncGroupRequestData sync = dialog.sync(role);
          if (version >= 5) {
            sync.setProtocolType("consumer").setProtocolName("range");
          }
          change.accept(dialog, sync);
          return sync;
        });
  }

  private static List<Probe> syncs(int version) {
    List<Probe> probes = new ArrayList<>();
    probes.add(sync("a's, with shares", version, "a", (dialog, sync) -> {}));
    probes.add(
        sync(
            "b's, without shares", version, "b", (dialog, sync) -> sync.setAssignments(List.of())));
    probes.add(
        sync(
            "a's, without shares", version, "a", (dialog, sync) -> sync.setAssignments(List.of())));
    probes.add(sync("b's, with shares", version, "b", (dialog, sync) -> {}));
    probes.add(
        sync(
            "a's, with a share for nobody",
            version,
            "a",
            (dialog, sync) ->
                sync.setAssignments(
                    List.of(
                        new SyncGroupRequestAssignment()
                            .setMemberId(Dialog.NOBODY)
                            .setAssignment(Bytes.SHARE)))));
    probes.add(
        sync(
            "of a later generation",
            version,
            "a",
            (dialog, sync) -> sync.setGenerationId(sync.generationId() + 1)));
    probes.add(
        sync(
            "of an earlier generation",
            version,
            "a",
            (dialog, sync) -> sync.setGenerationId(sync.generationId() - 1)));
    probes.add(sync("nobody's", version, "nobody", (dialog, sync) -> {}));
    probes.add(sync("no member id", version, "a", (dialog, sync) -> sync.setMemberId("")));
    probes.add(sync("no group id", version, "a", (dialog, sync) -> sync.setGroupId("")));
    if (version >= 3) {
      probes.add(
          sync(
              "an unknown instance id",
              version,
              "a",
              (dialog, sync) -> sync.setGroupInstanceId("unknown")));
    }
    if (version >= 5) {
      probes.add(
          sync(
              "another protocol type",
              version,
              "a",
              (dialog, sync) -> sync.setProtocolType("connect")));
      probes.add(
          sync("another protocol", version, "a", (dialog, sync) -> sync.setProtocolName("sticky")));
      probes.add(
          sync(
              "no protocol type and name",
              version,
              "a",
              (dialog, sync) -> sync.setProtocolType(null).setProtocolName(null)));
      probes.add(
          sync(
              "an empty protocol type and name",
              version,
              "a",
              (dialog, sync) -> sync.setProtocolType("").setProtocolName("")));
    }
    return probes;
  }

  private static Probe join(
      String name, int version, String role, Consumer<JoinGroupRequestData> change) {
    return new Probe(
        name,
        ApiKeys.JOIN_GROUP,
        version,
        role,
        true,
        dialog -> {
          JoinGroupRequestData join = dialog.join(role);
          if (version == 0) {
            join.setRebalanceTimeoutMs(-1);
          }
          change.accept(join);
          return join;
        });
  }

  private static List<Probe> joins(int version) {
    List<Probe> probes = new ArrayList<>();
    probes.add(join("a new member", version, "x", join -> {}));
    probes.add(join("a, as before", version, "a", join -> {}));
    probes.add(join("nobody", version, "x", join -> join.setMemberId(Dialog.NOBODY)));
    probes.add(
        join(
            "a new member, no common protocol",
            version,
            "x",
            join -> join.protocols().iterator().next().setName("other")));
    probes.add(join("b, as before", version, "b", join -> {}));
    probes.add(
        join(
            "a, other metadata",
            version,
            "a",
            join -> join.protocols().iterator().next().setMetadata(Bytes.OTHER_SUBSCRIPTION)));
    probes.add(
        join(
            "b, other metadata",
            version,
            "b",
            join -> join.protocols().iterator().next().setMetadata(Bytes.OTHER_SUBSCRIPTION)));
    probes.add(
        join(
            "b, one more protocol",
            version,
            "b",
            join -> join.protocols().add(Dialog.protocol("sticky", Bytes.SUBSCRIPTION))));
    probes.add(
        join(
            "a, no common protocol",
            version,
            "a",
            join -> join.protocols().iterator().next().setName("other")));
    probes.add(join("b, other timeouts", version, "b", join -> join.setSessionTimeoutMs(20_000)));
    probes.add(
        join("a new member of another type", version, "x", join -> join.setProtocolType("y")));
    probes.add(join("a, of another type", version, "a", join -> join.setProtocolType("y")));
    probes.add(join("a new member, no type", version, "x", join -> join.setProtocolType("")));
    probes.add(join("a new member, no protocols", version, "x", join -> join.protocols().clear()));
    probes.add(join("a, no protocols", version, "a", join -> join.protocols().clear()));
    probes.add(
        join("a new member, session too short", version, "x", join -> join.setSessionTimeoutMs(1)));
    probes.add(
        join(
            "a new member, session too long",
            version,
            "x",
            join -> join.setSessionTimeoutMs(1_800_001)));
    probes.add(join("a, session too short", version, "a", join -> join.setSessionTimeoutMs(-1)));
    probes.add(join("no group id", version, "x", join -> join.setGroupId("")));
    probes.add(
        join(
            "a new member, unreadable metadata",
            version,
            "x",
            join -> join.protocols().iterator().next().setMetadata(Bytes.GARBAGE)));
    probes.add(
        join(
            "a new member, no metadata",
            version,
            "x",
            join -> join.protocols().iterator().next().setMetadata(new byte[0])));
    probes.add(join("an id handed out", version, "p", join -> {}));
    return probes;
  }

  private static Probe leave(
      String name, int version, BiConsumer<Dialog, LeaveGroupRequestData> change) {
    return new Probe(
        name,
        ApiKeys.LEAVE_GROUP,
        version,
        "probe",
        false,
        dialog -> {
          LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(dialog.group());
          change.accept(dialog, leave);
          return leave;
        });
  }

  private static MemberIdentity who(Dialog dialog, String role) {
    return new MemberIdentity().setMemberId(dialog.id(role));
  }

  private static List<Probe> leaves(int version) {
    List<Probe> probes = new ArrayList<>();
    if (version < 3) {
      probes.add(leave("a", version, (dialog, leave) -> leave.setMemberId(dialog.id("a"))));
      probes.add(leave("nobody", version, (dialog, leave) -> leave.setMemberId(Dialog.NOBODY)));
      probes.add(leave("no member id", version, (dialog, leave) -> leave.setMemberId("")));
      return probes;
    }
    probes.add(leave("a", version, (dialog, leave) -> leave.members().add(who(dialog, "a"))));
    probes.add(
        leave(
            "a and nobody",
            version,
            (dialog, leave) -> {
              leave.members().add(who(dialog, "a"));
              leave.members().add(who(dialog, Dialog.NOBODY));
            }));
    probes.add(leave("b", version, (dialog, leave) -> leave.members().add(who(dialog, "b"))));
    probes.add(leave("p", version, (dialog, leave) -> leave.members().add(who(dialog, "p"))));
    probes.add(
        leave(
            "a, twice",
            version,
            (dialog, leave) -> {
              leave.members().add(who(dialog, "a"));
              leave.members().add(who(dialog, "a"));
            }));
    probes.add(
        leave(
            "a and b",
            version,
            (dialog, leave) -> {
              leave.members().add(who(dialog, "a"));
              leave.members().add(who(dialog, "b"));
            }));
    probes.add(leave("nobody", version, (dialog, leave) -> leave.members().add(who(dialog, "-"))));
    probes.add(leave("no members", version, (dialog, leave) -> {}));
    probes.add(
        leave(
            "no member id",
            version,
            (dialog, leave) -> leave.members().add(new MemberIdentity().setMemberId(""))));
    probes.add(
        leave(
            "an unknown instance id",
            version,
            (dialog, leave) ->
                leave.members().add(who(dialog, "a").setGroupInstanceId("unknown"))));
    probes.add(
        leave(
            "an unknown instance id without a member id",
            version,
            (dialog, leave) ->
                leave
                    .members()
                    .add(new MemberIdentity().setMemberId("").setGroupInstanceId("unknown"))));
    probes.add(
        leave(
            "no group id",
            version,
            (dialog, leave) -> {
              leave.setGroupId("");
              leave.members().add(who(dialog, "a"));
            }));
    if (version >= 5) {
      probes.add(
          leave(
              "a, with a reason",
              version,
              (dialog, leave) -> leave.members().add(who(dialog, "a").setReason("because"))));
    }
    return probes;
  }
}
