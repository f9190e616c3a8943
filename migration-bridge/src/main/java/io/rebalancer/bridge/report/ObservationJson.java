package io.rebalancer.bridge.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.bridge.experiment.RunRecord;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import java.util.Locale;

/**
 * One line of {@code observations.jsonl} or {@code ledger.jsonl}.
 *
 * @param run the run it belongs to, from 1, in the order of results.json
 * @param startNanos of the run: times are milliseconds from there
 */
public record ObservationJson(ObjectMapper mapper, int run, long startNanos)
    implements Observation.Visitor<ObjectNode> {

  private static final double NANOS_PER_MS = 1e6;

  private ObjectNode line(long atNanos, String kind) {
    ObjectNode line = mapper.createObjectNode();
    line.put("run", run);
    line.put("atMs", Math.round((atNanos - startNanos) / NANOS_PER_MS * 1000) / 1000.0);
    line.put("kind", kind);
    return line;
  }

  private static void putPartitions(ObjectNode line, String field, Assignment partitions) {
    ObjectNode topics = line.putObject(field);
    partitions.topics().forEach((topic, set) -> topics.put(topic, set.toString()));
  }

  @Override
  public ObjectNode onWatchDelivered(Observation.WatchDelivered observation) {
    return line(observation.atNanos(), "watch-delivered")
        .put("session", observation.session())
        .put("type", observation.type())
        .put("path", observation.path());
  }

  @Override
  public ObjectNode onWatchRepaired(Observation.WatchRepaired observation) {
    return line(observation.atNanos(), "watch-repaired")
        .put("session", observation.session())
        .put("path", observation.path());
  }

  @Override
  public ObjectNode onReconnected(Observation.Reconnected observation) {
    return line(observation.atNanos(), "reconnected").put("session", observation.session());
  }

  @Override
  public ObjectNode onRequested(Observation.Requested observation) {
    return line(observation.atNanos(), "requested")
        .put("session", observation.session())
        .put("request", observation.kind().name().toLowerCase(Locale.ROOT));
  }

  @Override
  public ObjectNode onAttemptStarted(Observation.AttemptStarted observation) {
    return line(observation.atNanos(), "attempt-started")
        .put("member", observation.member())
        .put("attempt", observation.attempt())
        .put("trigger", observation.trigger());
  }

  @Override
  public ObjectNode onAttemptEnded(Observation.AttemptEnded observation) {
    ObjectNode line =
        line(observation.atNanos(), "attempt-ended")
            .put("member", observation.member())
            .put("attempt", observation.attempt())
            .put("failed", observation.failed())
            .put("superseded", observation.superseded());
    putPartitions(line, "before", observation.before());
    putPartitions(line, "after", observation.after());
    return line;
  }

  @Override
  public ObjectNode onClaimLost(Observation.ClaimLost observation) {
    return line(observation.atNanos(), "claim-lost")
        .put("member", observation.member())
        .put("topic", observation.partition().topic())
        .put("partition", observation.partition().partition())
        .put("owner", observation.owner());
  }

  @Override
  public ObjectNode onGaveUp(Observation.GaveUp observation) {
    return line(observation.atNanos(), "gave-up").put("member", observation.member());
  }

  @Override
  public ObjectNode onMemberJoined(Observation.MemberJoined observation) {
    return line(observation.atNanos(), "member-joined")
        .put("member", observation.member())
        .put("id", observation.id());
  }

  @Override
  public ObjectNode onMemberRefused(Observation.MemberRefused observation) {
    return line(observation.atNanos(), "member-refused")
        .put("member", observation.member())
        .put("reason", observation.reason());
  }

  @Override
  public ObjectNode onZnodeUnreadable(Observation.ZnodeUnreadable observation) {
    return line(observation.atNanos(), "znode-unreadable")
        .put("member", observation.member())
        .put("path", observation.path())
        .put("content", observation.content());
  }

  @Override
  public ObjectNode onOffsetCommitted(Observation.OffsetCommitted observation) {
    return line(observation.atNanos(), "offset-committed")
        .put("member", observation.member())
        .put("topic", observation.partition().topic())
        .put("partition", observation.partition().partition())
        .put("offset", observation.offset());
  }

  @Override
  public ObjectNode onPhaseChanged(Observation.PhaseChanged observation) {
    return line(observation.atNanos(), "phase-changed")
        .put("group", observation.group().value())
        .put("generation", observation.generation())
        .put("from", observation.from())
        .put("to", observation.to())
        .put("reason", observation.reason());
  }

  @Override
  public ObjectNode onOwnership(Observation.Ownership observation) {
    LedgerEntry entry = observation.entry();
    ObjectNode line =
        line(entry.atNanos(), entry.kind().name().toLowerCase(Locale.ROOT))
            .put("group", entry.group().value())
            .put("member", entry.member());
    putPartitions(line, "partitions", entry.partitions());
    ObjectNode token = line.putObject("token");
    token.set("czxid", presentOrNull(entry.token().czxid()));
    token.set("generation", presentOrNull(entry.token().generation()));
    return line;
  }

  /** A token's part that a side does not have is 0 where tokens are compared. */
  private JsonNode presentOrNull(long part) {
    return part == 0
        ? mapper.getNodeFactory().nullNode()
        : mapper.getNodeFactory().numberNode(part);
  }

  /** A moment that delimits what is measured. */
  public ObjectNode mark(RunRecord.Mark mark) {
    return line(mark.atNanos(), mark.kind()).put("what", mark.what());
  }
}
