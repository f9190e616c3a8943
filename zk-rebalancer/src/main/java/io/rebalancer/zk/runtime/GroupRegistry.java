package io.rebalancer.zk.runtime;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.zk.protocol.GroupView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The znodes of one group as one consumer sees them through its own ZooKeeper session. Thread-safe;
 * every call blocks, and after a connection loss or an expiry repeats its request until it is
 * answered, in a new session if need be, as zkclient did (D8). All calls throw {@link
 * RegistryException}.
 */
public interface GroupRegistry extends AutoCloseable {

  /** Told of what ZooKeeper delivers, on ZooKeeper's own thread: must enqueue and return. */
  interface Deliveries {
    /** A watch fired that stands for a rebalance trigger; it is not set any more. */
    void onFired(WatchTarget target);

    /** A new session replaces one that expired; all watches are gone. */
    void onSessionRenewed();

    /** All watches are gone, though the session is the same. */
    void onWatchesGone();

    /**
     * The connection is lost, and unless there is another the session may end unnoticed from then
     * on. Only where that is strict.
     *
     * @param lapsesAtNanos of {@link System#nanoTime}
     */
    void onDisconnected(long lapsesAtNanos);
  }

  /**
   * What was seen of a watched znode.
   *
   * @param created the transaction that created it; 0 if it does not exist
   * @param changed the transaction that last changed what is watched of it
   */
  record Sighting(String path, boolean exists, long created, long changed) {}

  /**
   * When there is no connection and the session may have ended, that thread's requests fail with
   * {@link SessionLapsedException} until {@link #takeLapse}; others wait.
   */
  void lapsesOn(Thread thread);

  /** True once, when there is no connection and the session may have ended. */
  boolean takeLapse();

  /** Opens the session; fails when there is none after the connection timeout. */
  void connect(Deliveries deliveries);

  /** What the server has granted of the session timeout that was asked for. */
  Duration grantedSession();

  /**
   * Writes the ephemeral registration and what is missing above it. Empty when done; else, where it
   * is to wait for another's registration under this id to go, whose that is. Fails where the
   * release refuses instead.
   */
  Optional<String> register(ConsumerRegistration registration);

  /** Sets a watch, again if it is not new; from then on reads of that path set it again too. */
  Sighting watch(WatchTarget target);

  /** Sets a watch again with two reads. */
  Sighting rearm(WatchTarget target);

  /** The topics there are, in no order; one read. */
  List<String> listTopics();

  /**
   * Reads the brokers, the own registration, and the brokers again; returns how many there are, or
   * empty when its own registration is gone.
   */
  OptionalInt readBrokers();

  /** Reads the registrations of the group and the topics they name or match. */
  GroupView readGroup();

  /** Empty when none was ever stored. */
  OptionalLong readOffset(TopicPartition partition);

  /**
   * The offset before a claim: fails where one cannot be read, as {@link #readOffset}, or where
   * that is strict is empty then too.
   */
  OptionalLong checkpoint(TopicPartition partition);

  /** False where that is strict and the owner node is not its own: nothing is written. */
  boolean writeOffset(TopicPartition partition, long offset);

  /** Tries to create an owner node. */
  Claim claim(TopicPartition partition, ThreadId thread);

  /**
   * Deletes an owner node, whoever owns it, or where that is strict only if it is the one that
   * {@code token} was given for; a missing one is fine.
   */
  void release(TopicPartition partition, FencingToken token);

  /** From now on a request without a connection fails instead of waiting for one. */
  void stopWaiting();

  /** Closes the session: the server deletes its ephemerals. Idempotent, never throws. */
  @Override
  void close();

  /** Cuts the socket; the session stays on the server until it times out. Never throws. */
  void crash();

  /**
   * What became of a claim.
   *
   * @param won the owner node bears the thread's name
   * @param token of that node when won
   * @param owner the other's name when not won; empty when its node had gone by then
   */
  record Claim(boolean won, FencingToken token, String owner) {

    public static Claim won(FencingToken token) {
      return new Claim(true, token, "");
    }

    public static Claim lost(String owner) {
      return new Claim(false, FencingToken.NONE, owner);
    }
  }
}
