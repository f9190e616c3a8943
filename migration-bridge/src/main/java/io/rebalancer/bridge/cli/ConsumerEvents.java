package io.rebalancer.bridge.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.io.PrintWriter;
import java.time.Clock;

/** Writes what happens to one consumer as JSON, a line per event. Thread-safe. */
final class ConsumerEvents implements OwnershipListener, RebalanceObserver {

  private final ObjectMapper mapper = new ObjectMapper();
  private final PrintWriter out;
  private final Clock clock;
  private final GroupId group;
  private final String consumer;
  private final boolean joins;
  private String reason = "join";
  private boolean registered;
  private boolean refused;
  private final Runnable end;

  /**
   * @param joins whether the consumer registers by a Join that a coordinator answers; else it is
   *     registered when its first attempt begins, and again after an expiry
   * @param end called when there is no reason to go on: the group does not take the consumer, or
   *     nobody reads {@code out} any more
   */
  ConsumerEvents(
      PrintWriter out, Clock clock, GroupId group, String consumer, boolean joins, Runnable end) {
    this.end = end;
    this.out = out;
    this.clock = clock;
    this.group = group;
    this.consumer = consumer;
    this.joins = joins;
  }

  /**
   * Of a consumer that does not join. Once, however often it is called: the first attempt may begin
   * before its engine's join has returned.
   */
  synchronized void registered() {
    if (!registered && !joins) {
      registered = true;
      print("registered");
    }
  }

  /** An event without partitions. */
  synchronized void print(String event) {
    write(line(event));
  }

  private ObjectNode line(String event) {
    return mapper
        .createObjectNode()
        .put("event", event)
        .put("timestampMs", clock.millis())
        .put("group", group.value())
        .put("consumer", consumer)
        .put("reason", reason);
  }

  private synchronized void print(String event, Assignment partitions) {
    ObjectNode line = line(event);
    ObjectNode topics = line.putObject("partitions");
    partitions.topics().forEach((topic, set) -> topics.put(topic, set.toString()));
    write(line);
  }

  private void write(ObjectNode line) {
    out.println(line);
    if (out.checkError()) { // Flushes.
      end.run();
    }
  }

  @Override
  public void onRevoked(Assignment partitions) {
    print("revoked", partitions);
  }

  @Override
  public void onAssigned(Assignment partitions) {
    print("assigned", partitions);
  }

  @Override
  public synchronized void onLost(Assignment partitions) {
    reason = "session";
    print("lost", partitions);
  }

  /** Whether the consumer has ended by itself, since it is not taken. */
  synchronized boolean isRefused() {
    return refused;
  }

  /** What follows is because it is told to end. */
  synchronized void closing() {
    reason = "close";
  }

  /** Attempts and lost claims; ownership is told by the listener's calls. */
  @Override
  public synchronized void on(Observation observation) {
    if (observation instanceof Observation.AttemptStarted attempt) {
      registered();
      reason = attempt.trigger();
      if (reason.equals("session") && !joins) {
        print("registered");
      }
      print("rebalance-started");
    } else if (observation instanceof Observation.MemberJoined) {
      print("registered");
    } else if (observation instanceof Observation.ClaimLost lost) {
      ObjectNode line = line("claim-lost");
      line.putObject("partitions")
          .put(lost.partition().topic(), Integer.toString(lost.partition().partition()));
      line.put("owner", lost.owner());
      write(line);
    } else if (observation instanceof Observation.GaveUp) {
      print("gave-up");
    } else if (observation instanceof Observation.MemberRefused refusal) {
      write(line("refused").put("error", refusal.reason()));
      refused = true;
      end.run();
    }
  }
}
