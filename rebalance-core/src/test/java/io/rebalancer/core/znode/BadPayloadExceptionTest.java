package io.rebalancer.core.znode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BadPayloadExceptionTest {

  @Test
  void namesThePathAndShowsWhatIsThere() {
    BadPayloadException bad = new BadPayloadException("/p", "{}", "a broker");

    assertThat(bad).hasMessage("/p: \"{}\" (expected: a broker)");
    assertThat(bad.path()).isEqualTo("/p");
    assertThat(bad.shown()).isEqualTo("{}");
  }

  @Test
  void showsTwoHundredCharacters() {
    assertThat(new BadPayloadException("/p", "x".repeat(200), "y").shown())
        .isEqualTo("x".repeat(200));
    assertThat(new BadPayloadException("/p", "x".repeat(201), "y").shown())
        .isEqualTo("x".repeat(200) + "...");
  }

  @Test
  void foreignControlCharactersMakeNoLineOfTheirOwn() {
    assertThat(new BadPayloadException("/p", "a\nERROR b\u001b[2J\u0000", "y").shown())
        .isEqualTo("a\\u000aERROR b\\u001b[2J\\u0000");
  }
}
