package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How members of a server-assigned group are led to what they are to have: a Join is answered with
 * what is free of it, once that is stored. One write is under way at a time, and the next takes all
 * that came meanwhile.
 */
final class Granting {

  private static final int STORE_AGAIN_MS = 1_000;

  private final Function<Assignment, Opaque> encoder;

  /** {@code encoder} makes of partitions what a Sync is answered with. */
  Granting(Function<Assignment, Opaque> encoder) {
    this.encoder = encoder;
  }

  Opaque encoded(Assignment partitions) {
    return encoder.apply(partitions);
  }

  /**
   * Takes note of what {@code member} has kept by a Join. A Join that names the generation its
   * sender is in was sent before anything else was granted, so what it lacks is let go, and any
   * other of that generation is late from here on. One without a generation may be of any time.
   */
  static void keep(Draft draft, MemberId id, Kept kept) {
    Share share = draft.shares.getOrDefault(id, Share.NOTHING);
    Share left = share.keeping(kept.partitions());
    draft.unconfirmed.remove(id);
    if (left.held().equals(share.held())) {
      return;
    }
    if (kept.isTold()) {
      draft.shares.put(id, left);
    } else {
      draft.unconfirmed.put(id, kept);
    }
    if (share.generation() == draft.generation) {
      draft.nextGeneration();
    }
  }

  /** Whoever speaks in the generation of an answer has sent the Join that this answered. */
  static void confirm(Draft draft, MemberId id) {
    Share share = draft.shares.getOrDefault(id, Share.NOTHING);
    Kept kept = draft.unconfirmed.get(id);
    if (kept == null || kept.generation() != share.generation()) {
      return;
    }
    draft.unconfirmed.remove(id);
    Share left = share.keeping(kept.partitions());
    draft.shares.put(id, left);
    settleRevoking(draft, id, false); // For what it is to let go of next its time begins anew.
    settleRevoking(draft, id, left.mustLetGo());
    store(draft);
    settlePhase(draft);
  }

  /**
   * Grants what can be granted, and tells it once that is stored. Whoever is granted something else
   * in the generation it is in goes to the next: if this answers a Join that its sender has given
   * up, the sender learns so from its own generation.
   */
  void answer(Draft draft, MemberId id) {
    RequestId request = draft.joins.remove(id);
    Member member = requireNonNull(draft.members.get(id), "member");
    Share before = draft.shares.getOrDefault(id, Share.NOTHING);
    Kept kept = draft.unconfirmed.get(id);
    Share said = kept == null ? before : before.keeping(kept.partitions());
    Assignment free = Shares.free(draft.shares, id, said.missing());
    Share share = said.granting(draft.generation, free);
    if (before.generation() == draft.generation && !share.granted().equals(before.granted())) {
      draft.nextGeneration();
      share = said.granting(draft.generation, free);
    }
    if (kept != null) {
      draft.unconfirmed.put(id, new Kept(share.held(), share.generation()));
      share = share.holding(before.held());
    }
    draft.shares.put(id, share);
    draft.members.put(id, member.withAssignment(encoder.apply(share.granted())));
    settleRevoking(draft, id, share.mustLetGo());
    tellOnceStored(draft, id, request);
  }

  /** What it was answered last, once more. */
  void repeat(Draft draft, MemberId id) {
    tellOnceStored(draft, id, draft.joins.remove(id));
  }

  private static void tellOnceStored(Draft draft, MemberId id, @Nullable RequestId request) {
    if (request == null) {
      return;
    }
    Member member = requireNonNull(draft.members.get(id), "member");
    Answer.Joined answer =
        new Answer.Joined(
            NONE,
            draft.shares.getOrDefault(id, Share.NOTHING).generation(),
            draft.protocolType,
            member.protocols().get(0).name(),
            "",
            id.value(),
            false,
            List.of(),
            member.assignment(),
            0);
    draft.parked.add(new Serving.Parked(store(draft), request, id, answer));
  }

  /** Lets the time to let go of partitions run, from when it is first due, or stops it. */
  static void settleRevoking(Draft draft, MemberId id, boolean due) {
    if (due && draft.revoking.putIfAbsent(id, Optional.empty()) == null) {
      armRevocation(draft, id);
    } else if (!due && draft.revoking.remove(id) != null) {
      draft.cancel(Kind.REVOCATION, id);
    }
  }

  static void armRevocation(Draft draft, MemberId id) {
    draft.arm(Kind.REVOCATION, id, requireNonNull(draft.members.get(id)).rebalanceTimeoutMs());
  }

  /**
   * What a member is to let go of it learns by an answer, which may have waited for the store for
   * long: its time starts anew, also to show that it has. Not for what it was told before, else
   * joining again would do.
   */
  private static void toldToLetGo(Draft draft, MemberId id, Share share) {
    Optional<Assignment> before = draft.revoking.get(id);
    Kept kept = draft.unconfirmed.get(id);
    Assignment held = kept == null ? share.held() : kept.partitions();
    Optional<Assignment> now = Optional.of(held.minus(share.granted()));
    if (before != null && !now.equals(before)) {
      draft.revoking.put(id, now);
      armRevocation(draft, id);
    }
  }

  static void dropParked(Draft draft, MemberId id, GroupError error) {
    for (Serving.Parked each : List.copyOf(draft.parked)) {
      if (each.member().equals(id)) {
        draft.parked.remove(each);
        draft.reply(each.request(), Answer.Joined.failed(error, id.value()));
      }
    }
  }

  static void settlePhase(Draft draft) {
    if (draft.assigning != 0 || draft.initial) {
      return;
    }
    GroupPhase phase = new Shares(draft.shares, draft.lost).phase();
    if (phase != draft.phase()) {
      draft.moveTo(phase, phase == GroupPhase.STABLE ? Reason.RECONCILED : Reason.ASSIGNED);
    }
  }

  /** The token to wait for until everything of now is stored. */
  static long store(Draft draft) {
    if (draft.writing == 0) {
      draft.writing = draft.persist(draft.hard());
      return draft.writing;
    }
    draft.dirty = true;
    return draft.writing + 1;
  }

  static Step stored(GroupState group, long write, GroupError error) {
    Draft draft = new Draft(group);
    draft.ended(write, error == NONE);
    if (write != draft.writing) {
      return draft.done();
    }
    draft.writing = 0;
    for (Serving.Parked each : List.copyOf(draft.parked)) {
      if (each.write() <= write) {
        draft.parked.remove(each);
        tell(draft, each, error);
      }
    }
    if (error == NONE) {
      draft.cancel(Kind.STORE);
    }
    if (draft.dirty) {
      draft.dirty = false;
      store(draft);
    } else if (error == REBALANCE_IN_PROGRESS) { // Out of reach: what nobody waits for counts too.
      draft.arm(Kind.STORE, STORE_AGAIN_MS);
    }
    return draft.done();
  }

  private static void tell(Draft draft, Serving.Parked parked, GroupError error) {
    MemberId id = parked.member();
    if (error != NONE) {
      draft.reply(parked.request(), Answer.Joined.failed(error, id.value()));
    } else {
      Share share = draft.shares.getOrDefault(id, Share.NOTHING);
      draft.add(
          new GroupEffect.Shared(
              requireNonNull(draft.members.get(id)),
              parked.answer().generation(),
              share.granted()));
      draft.reply(parked.request(), parked.answer());
      toldToLetGo(draft, id, share);
    }
    draft.arm(Kind.SESSION, id, requireNonNull(draft.members.get(id)).sessionTimeoutMs());
  }
}
