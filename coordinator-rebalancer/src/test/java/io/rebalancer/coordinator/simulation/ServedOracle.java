package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Member;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.group.Shares;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What must hold where the coordinator assigns: of everything stored, and of who is told what. */
final class ServedOracle {

  private static final Shares NOTHING = new Shares(Map.of(), new TreeMap<>());

  private final World world;
  private final SimulatedStore store;
  private final Oracle oracle;
  private final Map<MemberId, Integer> told = new HashMap<>();
  private Shares before = NOTHING;
  private long storedAt;
  private long storedBefore;
  private long delayOverAt = -1;

  ServedOracle(World world, SimulatedStore store, Oracle oracle) {
    this.world = world;
    this.store = store;
    this.oracle = oracle;
  }

  /** Partitions that waited for whoever lost them are free to move from here on. */
  void delayOver() {
    delayOverAt = world.now();
  }

  void forgotten() {
    before = NOTHING;
  }

  void stored(HardState state) {
    Shares shares = state.shares();
    if (shares == null) {
      before = NOTHING;
      return;
    }
    heldOnce(shares);
    shares.of().forEach((id, share) -> notBehind(id, share.generation()));
    if (!shares.lost().isEmpty()) {
      lostWaits(state, shares);
    }
    before = shares;
    storedBefore = storedAt;
    storedAt = world.now();
  }

  private void heldOnce(Shares shares) {
    Map<TopicPartition, MemberId> holders = new HashMap<>();
    shares
        .of()
        .forEach(
            (member, share) ->
                share.held().stream()
                    .forEach(
                        p -> {
                          MemberId other = holders.putIfAbsent(p, member);
                          if (other != null) {
                            throw oracle.violated(
                                Invariant.ONE_OWNER,
                                p + " is held by " + other + " and by " + member);
                          }
                        }));
  }

  private void notBehind(MemberId id, int generation) {
    if (generation < told.getOrDefault(id, generation)) {
      throw oracle.violated(
          Invariant.STORED_FIRST,
          id + " was told of " + told.get(id) + ", stored is " + generation);
    }
  }

  private void lostWaits(HardState state, Shares shares) {
    Assignment lost = shares.lost().values().stream().reduce(Assignment.empty(), Assignment::plus);
    shares
        .of()
        .forEach(
            (id, share) -> {
              Assignment given = share.target().and(lost);
              if (!given.isEmpty()) {
                throw oracle.violated(
                    Invariant.LOST_WAITS, id + " is to have " + given + ", which is waiting");
              }
            });
    // Writes take turns: what is stored now was decided after what was stored before the last.
    boolean waited = !before.lost().isEmpty() && delayOverAt < storedBefore;
    if (waited) {
      shares.of().forEach((id, share) -> keeps(id, share, state.members().get(id)));
    }
  }

  private void keeps(MemberId id, Share share, Member member) {
    Share former = before.of().getOrDefault(id, Share.NOTHING);
    former.target().minus(share.target()).stream()
        .filter(p -> member.topics().contains(p.topic()) && !world.removed.contains(p.topic()))
        .forEach(
            p -> {
              throw oracle.violated(
                  Invariant.LOST_WAITS, id + " loses " + p + " while others' partitions wait");
            });
  }

  /** A member is told of a share of its own. */
  void told(Ask ask, Answer.Joined joined) {
    HardState stored = store.state().orElse(HardState.empty());
    MemberId id = new MemberId(joined.memberId());
    if (SimulatedStore.generationOf(stored, id) != joined.generation()) {
      throw oracle.violated(Invariant.STORED_FIRST, ask + " is answered, stored is " + stored);
    }
    told.put(id, joined.generation());
    if (stored.shares() != null) {
      oracle.ownership.granted(
          joined.memberId(), stored.shares().of().getOrDefault(id, Share.NOTHING).granted());
    }
  }
}
