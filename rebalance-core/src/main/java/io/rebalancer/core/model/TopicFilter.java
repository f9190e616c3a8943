package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

import java.util.Set;

/**
 * Which topics a pattern lets through (kafka 0.8-1.1, {@code TopicFilter} with {@code Whitelist}
 * and {@code Blacklist}).
 *
 * @param regex normalised: no blanks, no quotes at either end, '|' for ','. It has to match a
 *     topic's whole name.
 */
public record TopicFilter(Kind kind, String regex) {

  /** Whether what matches is wanted or not wanted. */
  public enum Kind {
    WHITE_LIST,
    BLACK_LIST
  }

  /** Normalises; throws {@link IllegalArgumentException} for what is no regular expression. */
  public TopicFilter {
    requireNonNull(kind, "kind");
    String raw = regex;
    regex = normalised(raw);
    try {
      boolean unused = "".matches(regex);
    } catch (IllegalArgumentException | StackOverflowError e) { // Too deep is no expression either.
      throw new IllegalArgumentException(
          "topic filter: \"" + raw + "\" (expected: a regular expression)", e);
    }
  }

  public static TopicFilter whiteList(String regex) {
    return new TopicFilter(Kind.WHITE_LIST, regex);
  }

  public static TopicFilter blackList(String regex) {
    return new TopicFilter(Kind.BLACK_LIST, regex);
  }

  /** Quotes come from property files, commas from lists of names. */
  private static String normalised(String raw) {
    return raw.trim()
        .replace(',', '|')
        .replace(" ", "")
        .replaceAll("^[\"']+", "")
        .replaceAll("[\"']+$", "");
  }

  /** Whether {@code topic} is let through; one of {@code excluded} never is. */
  public boolean allows(String topic, Set<String> excluded) {
    return topic.matches(regex) == (kind == Kind.WHITE_LIST) && !excluded.contains(topic);
  }
}
