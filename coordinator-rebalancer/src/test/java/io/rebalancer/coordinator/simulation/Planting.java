package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.group.Shares;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Puts the planted fault, if there is one, between the shard and the network. */
final class Planting {

  private final World world;
  private final SimulatedStore store;
  private final Map<String, Opaque> first = new HashMap<>();

  Planting(World world, SimulatedStore store) {
    this.world = world;
    this.store = store;
  }

  /** Whether a heartbeat is to be answered without the group hearing of it. */
  boolean forgets(Ask ask) {
    return world.planted == PlantedFault.FORGETS_HEARTBEATS
        && ask.kind() == RequestKind.HEARTBEAT
        && stored(ask).isPresent();
  }

  private Optional<Opaque> stored(Ask ask) {
    return store
        .state()
        .filter(state -> !ask.memberId().isEmpty() && state.generation() == ask.generation())
        .map(HardState::members)
        .map(members -> members.get(new MemberId(ask.memberId())))
        .map(member -> member.assignment());
  }

  GroupEvent event(GroupEvent asked) {
    if (world.planted == PlantedFault.BREAKS_A_STATE && world.chance(5)) {
      throw new IllegalStateException("planted");
    }
    if (world.planted == PlantedFault.GIVES_A_PARTITION_TWICE
        && asked instanceof GroupEvent.SyncRequested sync) {
      return twice(sync);
    }
    if (world.planted == PlantedFault.IGNORES_WHAT_IS_KEPT
        && asked instanceof GroupEvent.JoinRequested join) {
      return ignoring(join);
    }
    return asked;
  }

  private static GroupEvent ignoring(GroupEvent.JoinRequested join) {
    return new GroupEvent.JoinRequested(
        join.request(),
        join.memberId(),
        join.freshId(),
        join.idRequired(),
        join.canSkipAssignment(),
        join.instanceId(),
        join.client(),
        join.sessionTimeoutMs(),
        join.rebalanceTimeoutMs(),
        join.protocolType(),
        join.protocols(),
        join.topics(),
        new Kept(Assignment.empty(), join.kept().generation()),
        join.reason());
  }

  /** What is stored in place of {@code saved}; {@code before} is null before the first write. */
  static HardState saved(PlantedFault planted, HardState before, HardState saved) {
    Shares shares = saved.shares();
    if (shares == null || shares.of().isEmpty()) {
      return saved;
    }
    Map<MemberId, Share> next = new LinkedHashMap<>(shares.of());
    MemberId first = next.keySet().iterator().next();
    Share own = next.get(first);
    switch (planted) {
      case STORES_TWO_HOLDERS -> {
        Assignment held =
            next.values().stream().map(Share::held).reduce(Assignment.empty(), Assignment::plus);
        next.put(first, new Share(own.generation(), own.target(), own.granted(), held));
      }
      case STORES_THE_SHARE_BEFORE -> {
        if (before != null && before.shares() != null) {
          next.computeIfPresent(first, (id, now) -> before.shares().of().getOrDefault(id, now));
        }
      }
      case GIVES_AWAY_WHAT_IS_LOST -> {
        Assignment target = shares.lost().values().stream().reduce(own.target(), Assignment::plus);
        next.put(first, new Share(own.generation(), target, own.granted(), own.held()));
      }
      default -> {
        return saved;
      }
    }
    return new HardState(
        saved.generation(),
        saved.protocolType(),
        saved.protocol(),
        saved.leader(),
        saved.members(),
        new Shares(next, shares.lost()),
        saved.announced());
  }

  private GroupEvent twice(GroupEvent.SyncRequested sync) {
    Map<MemberId, Opaque> shares = new TreeMap<>(sync.assignments());
    Assignment given = Assignment.empty();
    for (Map.Entry<MemberId, Opaque> each : shares.entrySet()) {
      Assignment share = world.codec.decode(each.getValue(), Assignment.class);
      Assignment more =
          given.isEmpty() ? share : share.plus(World.share(given.stream().findFirst().get()));
      each.setValue(world.codec.encode(more));
      given = given.plus(share);
    }
    return new GroupEvent.SyncRequested(
        sync.request(),
        sync.memberId(),
        sync.instanceId(),
        sync.generation(),
        sync.protocolType(),
        sync.protocol(),
        shares);
  }

  List<Answer> answers(Ask ask, Answer given) {
    return switch (world.planted) {
      case KEEPS_THE_FIRST_SUBSCRIPTION ->
          List.of(given instanceof Answer.Joined joined ? withFirst(joined) : given);
      case ANSWERS_WITH_ANOTHERS_SHARE ->
          List.of(given instanceof Answer.Synced synced ? anothers(ask, synced) : given);
      case ANSWERS_TWICE -> world.chance(20) ? List.of(given, given) : List.of(given);
      case FORGETS_A_JOIN ->
          ask.kind() == RequestKind.JOIN && world.chance(20) ? List.of() : List.of(given);
      case NEVER_CALMS_DOWN ->
          List.of(
              ask.kind() == RequestKind.HEARTBEAT
                      && given.error() == GroupError.NONE
                      && world.chance(300)
                  ? new Answer.Plain(GroupError.REBALANCE_IN_PROGRESS)
                  : given);
      default -> List.of(given);
    };
  }

  private Answer withFirst(Answer.Joined joined) {
    return new Answer.Joined(
        joined.error(),
        joined.generation(),
        joined.protocolType(),
        joined.protocol(),
        joined.leader(),
        joined.memberId(),
        joined.skipAssignment(),
        joined.members().stream()
            .map(
                member ->
                    new Answer.JoinedMember(
                        member.id(),
                        member.instanceId(),
                        first.computeIfAbsent(member.id().value(), id -> member.metadata())))
            .toList(),
        joined.part(),
        joined.delayMs());
  }

  private Answer anothers(Ask ask, Answer.Synced synced) {
    return store
        .state()
        .filter(state -> synced.error() == GroupError.NONE)
        .flatMap(
            state ->
                state.members().values().stream()
                    .filter(member -> !member.id().value().equals(ask.memberId()))
                    .filter(member -> !member.assignment().equals(synced.assignment()))
                    .findFirst())
        .<Answer>map(
            other ->
                new Answer.Synced(
                    synced.error(), synced.protocolType(), synced.protocol(), other.assignment()))
        .orElse(synced);
  }
}
