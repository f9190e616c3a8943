package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import java.time.Duration;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** What a member wants done. Effects of one event are carried out in their order. */
sealed interface MemberEffect {

  void accept(Visitor visitor);

  /** Find the coordinator and connect to it: Connected or Disconnected follows. */
  record Seek() implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSeek(this);
    }
  }

  /** Close the connection and stop seeking one; no event follows. */
  record Disconnect() implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onDisconnect(this);
    }
  }

  /** Ask which topics there are: TopicsListed follows, unless the connection is lost. */
  record ListTopics(int attempt) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onListTopics(this);
    }
  }

  record SendJoin(int attempt, @Nullable MemberId member, Subscription topics, Claim claim)
      implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSendJoin(this);
    }
  }

  record AskTopics(int attempt, SortedSet<String> topics) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onAskTopics(this);
    }
  }

  /** {@code shares} is empty unless this member is the group leader. */
  record SendSync(int attempt, int generation, MemberId member, Map<MemberId, Assignment> shares)
      implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSendSync(this);
    }
  }

  record SendHeartbeat(int generation, MemberId member) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSendHeartbeat(this);
    }
  }

  /** On a connection of its own, as a Join or Sync is out on the one there is. */
  record SendHeartbeatBeside(int generation, MemberId member) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSendHeartbeatBeside(this);
    }
  }

  /**
   * LeaveDone follows in any case.
   *
   * @param onNewConnection on one of its own, because there is none, or because a coordinator that
   *     answers in order would read it only after it has answered the Join before
   * @param reason for the coordinator (KIP-800)
   */
  record SendLeave(MemberId member, boolean onNewConnection, String reason)
      implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onSendLeave(this);
    }
  }

  record ArmTimer(MemberTimer timer, Duration delay) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onArmTimer(this);
    }
  }

  /** Arm the lease timer, the lease counted from that moment. */
  record RenewLease(long fromNanos) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onRenewLease(this);
    }
  }

  record CancelTimer(MemberTimer timer) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onCancelTimer(this);
    }
  }

  /** Calls run one after another, in order: one ListenerReturned follows for each. */
  record CallListener(ListenerCall call, Assignment partitions) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onCallListener(this);
    }
  }

  /** An entry for the ledger, with the generation as token. */
  record WriteLedger(LedgerEntry.Kind kind, Assignment partitions, int generation)
      implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onWriteLedger(this);
    }
  }

  record BeginAttempt(int attempt, String trigger) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onBeginAttempt(this);
    }
  }

  record EndAttempt(
      int attempt, boolean failed, boolean superseded, Assignment before, Assignment after)
      implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onEndAttempt(this);
    }
  }

  /** The last effect of all. {@code failure} is null when the member was closed or crashed. */
  record End(@Nullable String failure) implements MemberEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onEnd(this);
    }
  }

  /** A new effect does not compile until it is carried out. */
  interface Visitor {
    void onSeek(Seek effect);

    void onDisconnect(Disconnect effect);

    void onListTopics(ListTopics effect);

    void onSendJoin(SendJoin effect);

    void onAskTopics(AskTopics effect);

    void onSendSync(SendSync effect);

    void onSendHeartbeat(SendHeartbeat effect);

    void onSendHeartbeatBeside(SendHeartbeatBeside effect);

    void onSendLeave(SendLeave effect);

    void onArmTimer(ArmTimer effect);

    void onRenewLease(RenewLease effect);

    void onCancelTimer(CancelTimer effect);

    void onCallListener(CallListener effect);

    void onWriteLedger(WriteLedger effect);

    void onBeginAttempt(BeginAttempt effect);

    void onEndAttempt(EndAttempt effect);

    void onEnd(End effect);
  }
}
