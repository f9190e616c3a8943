package io.rebalancer.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of kafka's own TopicFilterTest (0.8-1.1), and what it says of normalising. */
class TopicFilterTest {

  private static final Set<String> INTERNAL = Set.of("__consumer_offsets");

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "WHITE_LIST; white1,white2;         white2;              true",
        "WHITE_LIST; white1,white2;         black1;              false",
        "WHITE_LIST; .+;                    alltopics;           true",
        "WHITE_LIST; .+;                    __consumer_offsets;  false",
        "WHITE_LIST; white_listed-topic.+;  white_listed-topic1; true",
        "WHITE_LIST; white_listed-topic.+;  black1;              false",
        "WHITE_LIST; test-(?!bad\\b)[\\w]+; test-good;           true",
        "WHITE_LIST; test-(?!bad\\b)[\\w]+; test-bad;            false",
        "BLACK_LIST; black1;                white2;              true",
        "BLACK_LIST; black1;                black1;              false",
        "BLACK_LIST; black1;                __consumer_offsets;  false"
      })
  void aTopicIsAllowedOrNot(TopicFilter.Kind kind, String regex, String topic, boolean allowed) {
    assertThat(new TopicFilter(kind, regex).allows(topic, INTERNAL)).isEqualTo(allowed);
  }

  @Test
  void internalTopicsAreAllowedWhenTheyAreNotExcluded() {
    assertThat(TopicFilter.whiteList(".+").allows("__consumer_offsets", Set.of())).isTrue();
    assertThat(TopicFilter.blackList("black1").allows("__consumer_offsets", Set.of())).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {"t,u; t|u", "` t , u `; t|u", "\"t.*\"; t.*", "`'\"t'`; t", "a\"b; a\"b"})
  void theRegexIsNormalised(String raw, String regex) {
    assertThat(TopicFilter.whiteList(raw).regex()).isEqualTo(regex);
  }

  @Test
  void whatIsNoRegexIsRefused() {
    assertThatThrownBy(() -> TopicFilter.whiteList("[t"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic filter: \"[t\" (expected: a regular expression)");
  }

  @Test
  void aWildcardComesToTheTopicsThatThereAre() {
    var wildcard = new WildcardSubscription(TopicFilter.whiteList("t.*|__.*"), 2);

    assertThat(wildcard.among(List.of("u", "t2", "__consumer_offsets", "t1"), INTERNAL))
        .isEqualTo(Subscription.copyOf(Map.of("t1", 2, "t2", 2)));
    assertThatThrownBy(() -> new WildcardSubscription(TopicFilter.whiteList("t"), 0))
        .hasMessage("streams of t: 0 (expected: >= 1)");
  }
}
