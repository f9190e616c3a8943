package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.assignor.member.TwoRounds;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Who gets what while something may wait for a member to come back (as Kafka Connect's KIP-415). A
 * function of its inputs: no clock, no memory.
 *
 * <p>What was given in the last generation and is claimed by nobody now is lost. It is parked for
 * the delay, and as long as anything is, nobody is taken anything: only what is neither claimed nor
 * parked goes to somebody. Then all is balanced, and who came back is first given what it had.
 */
final class DelayDecision {

  /**
   * @param assignor for one round; what has to be let go of first is withheld here
   * @param names by member the {@code client.id}; members that do not say it are missing
   * @param carried what members hand on of the last generation, the delay being what is left of it
   * @param last what each member was given then; empty when this leader did not lead it
   */
  record Input(
      MemberAssignor assignor,
      GroupInput group,
      Map<MemberId, String> names,
      DelayState carried,
      Map<MemberId, Parked> last,
      long maxDelayMs) {}

  record Decision(SortedMap<MemberId, Assignment> shares, DelayState state) {}

  private final Input in;
  private final GroupInput group;
  private final Assignment existing;
  private final SortedMap<MemberId, Assignment> believed = new TreeMap<>();

  /** What returns to its owner at once. */
  private final SortedMap<MemberId, Assignment> back = new TreeMap<>();

  private final Set<MemberId> matched = new HashSet<>();

  private DelayDecision(Input in) {
    this.in = in;
    this.group = in.group();
    this.existing = existing();
  }

  static Decision decide(Input in) {
    return new DelayDecision(in).decide();
  }

  private Decision decide() {
    Assignment claimed = believe();
    DelayState carried = in.carried();
    List<Parked> waiting = within(carried.parked(), existing.minus(claimed));
    Assignment free = existing.minus(claimed).minus(DelayState.union(waiting));
    boolean off = in.maxDelayMs() == 0 || claimed.isEmpty(); // Nobody is left to wait beside.
    List<Parked> vanished = vanished(free.and(carried.given()));
    boolean due = off || carried.delayMs() == 0;
    List<Parked> parked = new ArrayList<>(due ? List.of() : waiting);
    parked.addAll(off ? List.of() : vanished);
    List<Parked> released = new ArrayList<>(due ? waiting : List.of());
    released.forEach(
        each ->
            returned(each, member -> true)
                .ifPresent(member -> back.merge(member, each.partitions(), Assignment::plus)));
    GroupAssignment next =
        parked.isEmpty()
            ? balanced()
            : kept(existing.minus(claimed).minus(DelayState.union(parked)));
    SortedMap<MemberId, Assignment> shares = TwoRounds.withhold(group, next).shares();
    long delayMs = Math.min(in.maxDelayMs(), due ? in.maxDelayMs() : carried.delayMs());
    Assignment given = Assignment.empty();
    for (Assignment share : shares.values()) {
      given = given.plus(share);
    }
    return new Decision(
        shares,
        new DelayState(MemberState.NO_GENERATION, parked.isEmpty() ? 0 : delayMs, parked, given));
  }

  private Assignment existing() {
    Set<String> wanted = new HashSet<>();
    group.members().forEach(member -> wanted.addAll(member.topics()));
    SortedMap<String, PartitionSet> topics = new TreeMap<>(group.topics());
    topics.keySet().retainAll(wanted);
    return new Assignment(topics);
  }

  /** Of two that claim the same the higher generation is believed, then the first by id. */
  private Assignment believe() {
    List<Member> byGeneration = new ArrayList<>(group.members());
    byGeneration.sort(Comparator.comparing((Member member) -> -(long) member.generation()));
    Assignment claimed = Assignment.empty();
    for (Member member : byGeneration) {
      Assignment mine = wanted(member, member.owned()).and(existing).minus(claimed);
      believed.put(member.id(), mine);
      claimed = claimed.plus(mine);
    }
    return claimed;
  }

  private static Assignment wanted(Member member, Assignment partitions) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>(partitions.topics());
    topics.keySet().removeIf(topic -> !member.topics().contains(topic));
    return new Assignment(topics);
  }

  /**
   * What is lost, by who had it. A member that is there, under its id or already under another, has
   * not vanished: it gets back what it had.
   */
  private List<Parked> vanished(Assignment lost) {
    List<Parked> vanished = new ArrayList<>();
    Assignment rest = lost;
    for (Map.Entry<MemberId, Parked> then : new TreeMap<>(in.last()).entrySet()) {
      Assignment had = then.getValue().partitions().and(rest);
      if (had.isEmpty()) {
        continue;
      }
      rest = rest.minus(had);
      Parked owner = then.getValue().with(had);
      Optional<MemberId> here =
          group.member(then.getKey()).map(Member::id).or(() -> returned(owner, this::isNew));
      if (here.isPresent()) {
        back.merge(here.get(), had, Assignment::plus);
      } else {
        vanished.add(isAmbiguous(owner) ? owner.anonymous() : owner);
      }
    }
    if (!rest.isEmpty()) {
      vanished.add(new Parked("", "", rest));
    }
    return vanished;
  }

  private boolean isNew(MemberId member) {
    return !in.last().containsKey(member);
  }

  /** Another member that was there then and still is goes by the same name. */
  private boolean isAmbiguous(Parked owner) {
    return owner.instanceId().isEmpty()
        && in.names().entrySet().stream()
            .anyMatch(named -> named.getValue().equals(owner.name()) && !isNew(named.getKey()));
  }

  /** By its instance id, else by its name; each member is one that returned once. */
  private Optional<MemberId> returned(Parked owner, Predicate<MemberId> among) {
    Predicate<Member> same =
        owner.instanceId().isEmpty()
            ? member -> !owner.name().isEmpty() && owner.name().equals(in.names().get(member.id()))
            : member -> owner.instanceId().equals(member.instanceId());
    Optional<MemberId> found =
        group.members().stream()
            .filter(same)
            .map(Member::id)
            .filter(id -> among.test(id) && !matched.contains(id))
            .findFirst();
    found.ifPresent(matched::add);
    return found;
  }

  private static List<Parked> within(List<Parked> parked, Assignment bounds) {
    return parked.stream()
        .map(each -> each.with(each.partitions().and(bounds)))
        .filter(each -> !each.partitions().isEmpty())
        .toList();
  }

  /** As if who returned had never let go. */
  private GroupAssignment balanced() {
    if (back.isEmpty()) {
      return in.assignor().assign(group);
    }
    List<Member> members = new ArrayList<>();
    for (Member member : group.members()) {
      Assignment returns = back.getOrDefault(member.id(), Assignment.empty());
      members.add(member.owning(member.owned().plus(returns), member.generation()));
    }
    return in.assignor().assign(group.withMembers(members));
  }

  /**
   * Everybody keeps what it has; what is free goes to its returned owner, else to who has least.
   */
  private GroupAssignment kept(Assignment free) {
    SortedMap<MemberId, Assignment> shares = new TreeMap<>(believed);
    Assignment left = free;
    for (Member member : group.members()) {
      Assignment returns =
          wanted(member, back.getOrDefault(member.id(), Assignment.empty())).and(left);
      left = left.minus(returns);
      shares.merge(member.id(), returns, Assignment::plus);
    }
    for (Map.Entry<String, PartitionSet> topic : left.topics().entrySet()) {
      spread(topic.getKey(), topic.getValue(), shares);
    }
    return GroupAssignment.of(group, shares);
  }

  private void spread(
      String topic, PartitionSet partitions, SortedMap<MemberId, Assignment> shares) {
    PriorityQueue<Taker> takers = new PriorityQueue<>(Taker.LEAST_FIRST);
    for (Member member : group.members()) {
      if (member.topics().contains(topic)) {
        takers.add(new Taker(member.id(), shares.getOrDefault(member.id(), Assignment.empty())));
      }
    }
    partitions.forEach(
        p -> {
          Taker least = takers.remove(); // There is one: the topic is subscribed to.
          least.more.add(p, p);
          least.load++;
          takers.add(least);
        });
    takers.forEach(
        taker ->
            shares.merge(taker.id, Assignment.of(topic, taker.more.build()), Assignment::plus));
  }

  private static final class Taker {
    static final Comparator<Taker> LEAST_FIRST =
        Comparator.comparingInt((Taker taker) -> taker.load).thenComparing(taker -> taker.id);

    final MemberId id;
    final PartitionSet.Builder more = new PartitionSet.Builder();
    int load;

    Taker(MemberId id, Assignment has) {
      this.id = id;
      this.load = has.size();
    }
  }
}
