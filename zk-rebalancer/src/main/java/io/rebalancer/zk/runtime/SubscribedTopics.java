package io.rebalancer.zk.runtime;

import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Collection;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of one consumer whose data it watches: those it names, or those that match its
 * wildcard (kafka 0.8-1.1, {@code WildcardStreamsHandler}). Thread-safe.
 */
final class SubscribedTopics {

  private static final Logger log = LoggerFactory.getLogger(SubscribedTopics.class);

  private final String member;
  private final TopicSelection selection;
  private final Set<String> excluded;
  private final GroupRegistry registry;
  private final SortedSet<String> matching = new TreeSet<>();
  private final SortedSet<String> everMatched = new TreeSet<>();

  SubscribedTopics(
      String member, TopicSelection selection, Set<String> excluded, GroupRegistry registry) {
    this.member = member;
    this.selection = selection;
    this.excluded = excluded;
    this.registry = registry;
  }

  /** Before the registration; one request for a wildcard, none for topics by name. */
  synchronized void list() {
    if (selection instanceof WildcardSubscription wildcard) {
      matching.addAll(topics());
      if (matching.isEmpty()) {
        log.warn("{}: no topic matches {}; waiting for one", member, wildcard.filter());
      }
    }
  }

  /** Lists them again; whether others match than at the last listing. */
  synchronized boolean haveChanged() {
    Collection<String> now = topics();
    if (matching.equals(now)) {
      return false;
    }
    log.info("{}: topics that match were {}, are {}", member, matching, now);
    matching.clear();
    matching.addAll(now);
    return true;
  }

  /** Those that have to be watched; a deleted one stays among them (D21). */
  synchronized SortedSet<String> watched() {
    everMatched.addAll(topics());
    return new TreeSet<>(everMatched);
  }

  private SortedSet<String> topics() {
    Subscription subscription =
        selection instanceof WildcardSubscription wildcard
            ? wildcard.among(registry.listTopics(), excluded)
            : (Subscription) selection;
    return new TreeSet<>(subscription.streams().keySet());
  }
}
