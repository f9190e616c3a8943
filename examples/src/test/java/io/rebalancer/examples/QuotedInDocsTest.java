package io.rebalancer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What docs/assignors.md shows of the example is the example. */
class QuotedInDocsTest {

  /** A source as a quoted block: indented, from its comment or class on, without imports. */
  private static String quoted(Path source) throws IOException {
    return Files.readAllLines(source).stream()
        .dropWhile(line -> !line.startsWith("/**") && !line.contains("class "))
        .map(line -> line.isEmpty() ? line : "    " + line)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void theAssignorItsServicesFileAndItsTestAreQuotedAsTheyAre() throws IOException {
    Path services =
        Path.of("src/main/resources/META-INF/services")
            .resolve("io.rebalancer.core.assignor.member.MemberAssignor");

    assertThat(Files.readString(Path.of("../docs/assignors.md")))
        .contains(
            quoted(Path.of("src/main/java/io/rebalancer/examples/WholeTopicsAssignor.java")),
            quoted(Path.of("src/test/java/io/rebalancer/examples/WholeTopicsAssignorTest.java")),
            "    META-INF/services/" + services.getFileName(),
            "    " + Files.readString(services).strip());
  }
}
