package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.time.Ticker;
import java.net.InetSocketAddress;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member's requests, and the time that their answers take. On its event loop. */
final class MemberRequests {

  private static final Logger LOG = LoggerFactory.getLogger(MemberRequests.class);

  private final CoordinatorClientConfig config;
  private final MemberConfig member;
  private final CoordinatorLink link;
  private final ContactLog contact;
  private final GroupMessages messages;
  private final MatchLog matches;
  private final MemberMeter meter;
  private final Ticker ticker;

  MemberRequests(
      CoordinatorClientConfig config,
      MemberConfig member,
      CoordinatorLink link,
      ContactLog contact,
      GroupMessages messages,
      MemberMeter meter,
      Ticker ticker) {
    this.config = config;
    this.member = member;
    this.link = link;
    this.contact = contact;
    this.messages = messages;
    this.matches = new MatchLog(member);
    this.meter = meter;
    this.ticker = ticker;
  }

  void listTopics(MemberEffect.ListTopics effect) {
    link.<MetadataResponseData>send(
        ApiKeys.METADATA,
        TopicMessages.allTopics(),
        config.requestTimeout(),
        (answer, by) ->
            TopicMessages.topicsListed(effect.attempt(), answer, config.excludeInternalTopics()));
  }

  /**
   * @param trigger of the round, as in {@link MemberEffect.BeginAttempt}
   */
  void join(MemberEffect.SendJoin effect, String trigger) {
    matches.joins(effect.topics());
    long sent = ticker.nanos();
    link.<JoinGroupResponseData>send(
        ApiKeys.JOIN_GROUP,
        messages.join(effect, trigger, sent),
        config.joinTimeout(),
        (answer, by) -> {
          contact.joinAnswered(Errors.forCode(answer.errorCode()), by);
          return messages.joined(
              effect.attempt(), answer, sent, answered(ApiKeys.JOIN_GROUP, sent));
        });
  }

  void askTopics(MemberEffect.AskTopics effect) {
    link.<MetadataResponseData>send(
        ApiKeys.METADATA,
        TopicMessages.topics(effect.topics()),
        config.requestTimeout(),
        (answer, by) -> TopicMessages.topicsKnown(effect.attempt(), answer));
  }

  void sync(MemberEffect.SendSync effect) {
    long sent = ticker.nanos();
    link.<SyncGroupResponseData>send(
        ApiKeys.SYNC_GROUP,
        messages.sync(effect.generation(), effect.member(), effect.shares()),
        config.requestTimeout(),
        (answer, by) -> messages.synced(effect, answer, sent, answered(ApiKeys.SYNC_GROUP, sent)));
  }

  void heartbeat(MemberEffect.SendHeartbeat effect) {
    long sent = ticker.nanos();
    link.<HeartbeatResponseData>send(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        (answer, by) -> told(effect.generation(), answer, by, sent));
  }

  void heartbeatBeside(MemberEffect.SendHeartbeatBeside effect) {
    long sent = ticker.nanos();
    link.<HeartbeatResponseData>sendBeside(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        (answer, by) -> told(effect.generation(), answer, by, sent));
  }

  private MemberEvent.Told told(
      int generation, HeartbeatResponseData answer, InetSocketAddress by, long sent) {
    contact.heartbeatAnswered(Errors.forCode(answer.errorCode()), by);
    return messages.told(generation, answer, sent, answered(ApiKeys.HEARTBEAT, sent));
  }

  void leave(MemberEffect.SendLeave effect) {
    if (!effect.reason().equals(MemberState.CLOSED)) {
      LOG.warn("member {} leaves group {}: {}", member.name(), member.group(), effect.reason());
    }
    link.leave(
        messages.leave(effect.member(), effect.reason()),
        config.requestTimeout(),
        effect.onNewConnection());
  }

  /** Now, which the meter is told of a request that was sent then. */
  long answered(ApiKeys request, long sentAtNanos) {
    long now = ticker.nanos();
    meter.answered(request, sentAtNanos, now);
    return now;
  }
}
