package io.rebalancer.zk.registry;

import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.zk.runtime.Witness;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says which payloads could not be read: to the observer each time, in the log once until the znode
 * is written again. Thread-safe.
 */
final class Unreadable {

  private static final Logger log = LoggerFactory.getLogger(Unreadable.class);

  static final String FAILS = "whatever needs it fails until it is mended or gone";

  /** Beyond that the oldest is forgotten, and would be warned of again. */
  private static final int PATHS_KEPT = 1_000;

  private static final long NO_ZNODE = -1;

  private final MemberId self;
  private final Witness witness;
  private final Map<String, Long> warnedMzxid = new LinkedHashMap<>();

  Unreadable(MemberId self, Witness witness) {
    this.self = self;
    this.witness = witness;
  }

  /** Decodes a payload; one that cannot be read fails the caller, as in the original. */
  <T> T demand(Znodes.Node node, Function<byte @Nullable [], T> decode) {
    try {
      return decode.apply(node.data());
    } catch (BadPayloadException e) {
      report(node, e, FAILS);
      throw e;
    }
  }

  /** Decodes a payload; empty when it cannot be read. */
  <T> Optional<T> tolerate(
      Znodes.Node node, Function<byte @Nullable [], T> decode, String consequence) {
    try {
      return Optional.of(decode.apply(node.data()));
    } catch (BadPayloadException e) {
      report(node, e, consequence);
      return Optional.empty();
    }
  }

  /** Also for what is no error to the original. */
  void report(Znodes.Node node, BadPayloadException found, String consequence) {
    witness.unreadable(found.path(), found.shown());
    if (isNews(found.path(), node.stat().getMzxid())) {
      log.warn("{}: cannot read {}: {}", self, found.getMessage(), consequence);
    }
  }

  /** No error to the original either: its consumers wait, owning nothing of it. */
  void missing(String path, boolean missing) {
    if (!missing) {
      forgetMissing(path);
    } else if (isNews(path, NO_ZNODE)) {
      log.warn("{}: {}: no such topic (expected: one that exists): waiting for it", self, path);
    }
  }

  private synchronized void forgetMissing(String path) {
    warnedMzxid.remove(path, NO_ZNODE);
  }

  private synchronized boolean isNews(String path, long mzxid) {
    Long before = warnedMzxid.put(path, mzxid);
    if (warnedMzxid.size() > PATHS_KEPT) {
      warnedMzxid.remove(warnedMzxid.keySet().iterator().next());
    }
    return before == null || before != mzxid;
  }
}
