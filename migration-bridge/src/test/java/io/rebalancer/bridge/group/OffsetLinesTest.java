package io.rebalancer.bridge.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OffsetLinesTest {

  private static final GroupId G = new GroupId("g");

  @Test
  void aLineIsReadAsItWasWritten() {
    List<String> lines =
        List.of(
            OffsetLines.format(G, new TopicPartition("t", 0), 5),
            OffsetLines.format(G, new TopicPartition("odd:name", 10), -1),
            OffsetLines.format(G, new TopicPartition("u", Integer.MAX_VALUE), Long.MAX_VALUE));

    OffsetLines read = OffsetLines.parse(G, lines);

    assertThat(lines).first().isEqualTo("/consumers/g/offsets/t/0:5");
    assertThat(read.problems()).isEmpty();
    assertThat(read.offsets())
        .containsExactly(
            entry(new TopicPartition("odd:name", 10), -1L),
            entry(new TopicPartition("t", 0), 5L),
            entry(new TopicPartition("u", Integer.MAX_VALUE), Long.MAX_VALUE));
  }

  @Test
  void linesAfterAnEmptyOneAreNotLost() {
    OffsetLines read =
        OffsetLines.parse(
            G, List.of("", "/consumers/g/offsets/t/0:5", " ", "/consumers/g/offsets/t/1:6", ""));

    assertThat(read.offsets().values()).containsExactly(5L, 6L);
    assertThat(read.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      ignoreLeadingAndTrailingWhitespace = false,
      textBlock =
"""
/consumers/h/offsets/t/0:5~"/consumers/h/offsets/t/0:5" (expected: an offset of group g)
/consumers/g/owners/t/0:5~"/consumers/g/owners/t/0:5" (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)
/consumers/g/offsets/t/00:5~"/consumers/g/offsets/t/00:5" (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)
/consumers/g/offsets/t/0~"/consumers/g/offsets/t/0" (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)
/consumers/g/offsets/t/0:5 ~"/consumers/g/offsets/t/0:5 " (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)
/consumers/g/offsets/t/0:-2~"/consumers/g/offsets/t/0:-2" (expected: an offset of at least -1)
/consumers/g/offsets/t/0:9223372036854775808~"/consumers/g/offsets/t/0:9223372036854775808" (expected: a partition of 31 bits and an offset of 63)
/consumers/g/offsets/t/2147483648:5~"/consumers/g/offsets/t/2147483648:5" (expected: a partition of 31 bits and an offset of 63)
/consumers/g/offsets/./0:5~"/consumers/g/offsets/./0:5" (expected: a topic's name)
/consumers/g/offsets/t/1:7~"/consumers/g/offsets/t/1:7" (expected: each partition once; it is on line 1 too)
""")
  void aLineThatCannotBeUsedIsNamed(String line, String problem) {
    OffsetLines read = OffsetLines.parse(G, List.of("/consumers/g/offsets/t/1:5", "", line));

    assertThat(read.problems()).containsExactly("line 3: " + problem);
  }

  @Test
  void aLongLineIsCutInItsError() {
    OffsetLines read = OffsetLines.parse(G, List.of("x".repeat(1_000_000)));

    assertThat(read.problems().get(0)).hasSizeLessThan(200).contains("xxx...\"");
  }
}
