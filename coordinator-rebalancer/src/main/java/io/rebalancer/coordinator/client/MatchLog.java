package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line whenever a member joins for other topics of its pattern than before. */
final class MatchLog {

  private static final Logger LOG = LoggerFactory.getLogger(MatchLog.class);

  private final MemberConfig member;
  private @Nullable Set<String> said;

  MatchLog(MemberConfig member) {
    this.member = member;
  }

  void joins(Subscription topics) {
    Set<String> matching = topics.streams().keySet();
    if (!(member.topics() instanceof WildcardSubscription wildcard) || matching.equals(said)) {
      return;
    }
    String regex = wildcard.filter().regex();
    if (matching.isEmpty()) {
      LOG.warn(
          "member {} of group {} has no topics, as none is let through by {} {}; it waits for one",
          member.name(),
          member.group(),
          wildcard.filter().kind(),
          regex);
    } else {
      LOG.info(
          "member {} of group {} joins for the topics that {} {} lets through: {}",
          member.name(),
          member.group(),
          wildcard.filter().kind(),
          regex,
          matching);
    }
    said = matching;
  }
}
