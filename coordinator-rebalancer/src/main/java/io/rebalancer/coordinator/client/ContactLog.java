package io.rebalancer.coordinator.client;

import io.rebalancer.core.engine.MemberConfig;
import java.net.InetSocketAddress;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns once when a member is without a coordinator, with the reason, and says once when it has one
 * again: one that answers it, which is more than one that can be connected to.
 */
final class ContactLog {

  private static final Logger LOG = LoggerFactory.getLogger(ContactLog.class);

  private final MemberConfig member;
  private boolean warned;

  ContactLog(MemberConfig member) {
    this.member = member;
  }

  /**
   * @param reason with the addresses that were tried
   */
  void without(String reason) {
    if (warned) {
      LOG.debug("member {} of group {}: {}", member.name(), member.group(), reason);
    } else {
      warned = true;
      LOG.warn(
          "member {} of group {} is without a coordinator, and goes on seeking one: {}",
          member.name(),
          member.group(),
          reason);
    }
  }

  /** A Join was answered: perhaps by a server that does not take it, now or ever. */
  void joinAnswered(Errors error, InetSocketAddress address) {
    switch (Reaction.to(error)) {
      case SEEK, RETRY ->
          without(
              "%s: JoinGroup was answered with %s (%d)"
                  .formatted(Addresses.text(address), error.name(), error.code()));
      case GO_ON, TAKE_ID, REJOIN, RESET, FORGET, END -> found(address);
    }
  }

  /** What a heartbeat is told that is no word on the membership is told to the next Join, too. */
  void heartbeatAnswered(Errors error, InetSocketAddress address) {
    switch (Reaction.to(error)) {
      case GO_ON, REJOIN, RESET, FORGET, END -> found(address);
      case TAKE_ID, SEEK, RETRY -> {}
    }
  }

  private void found(InetSocketAddress address) {
    if (warned) {
      warned = false;
      LOG.warn(
          "member {} of group {} has a coordinator: {}",
          member.name(),
          member.group(),
          Addresses.text(address));
    }
  }
}
