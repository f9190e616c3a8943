package io.rebalancer.core.model;

/** What a member wants to consume: topics by name, or a pattern and whatever matches it. */
public sealed interface TopicSelection permits Subscription, WildcardSubscription {}
