package io.rebalancer.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.engine.MemberConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LegalNameTest {

  /** What is refused, and what the message says is wrong with it. */
  @ParameterizedTest
  @CsvSource({
    "a/b, '''/'' at position 2'",
    "/a, '''/'' at position 1'",
    "a/, '''/'' at position 2'",
    "'', it is empty",
    "' ', ''' '' at position 1'",
    "a b, ''' '' at position 2'",
    "a:b, ''':'' at position 2'",
    "a#b, '''#'' at position 2'",
    "a%2Fb, '''%'' at position 2'",
    "grüppe, '''ü'' at position 3'",
    "'a\tb', \\u0009 at position 2",
    "., 'not \".\" or \"..\"'",
    ".., 'not \".\" or \"..\"'",
  })
  void b108NamesThatWouldMakeOtherPathsAreRefusedByCharacterAndPosition(String name, String why) {
    assertThatThrownBy(() -> new GroupId(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("group: \"" + name + "\" (expected: ASCII alphanumerics")
        .hasMessageEndingWith("; " + why + ")");
    assertThatThrownBy(
            () ->
                new MemberConfig(
                    new GroupId("g"), "c", Subscription.copyOf(Map.of("fine", 1, name, 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("topic: \"" + name + "\"")
        .hasMessageEndingWith("; " + why + ")");
  }

  @Test
  void b108OverLongNamesAreRefusedAndNotShownInFull() {
    assertThat(new GroupId("x".repeat(255)).value()).hasSize(255);
    assertThatThrownBy(() -> new GroupId("x".repeat(5_000)))
        .hasMessageEndingWith("at most 255 of them; it has 5000)")
        .hasMessageNotContaining("x".repeat(256));
  }

  @Test
  void whatTheOriginalsAllowIsAllowed() {
    assertThat(new GroupId("Az09._-").value()).isEqualTo("Az09._-");
    assertThat(new GroupId("...").value()).isEqualTo("...");
  }
}
