package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/** Each string of a description is a paragraph, and the first alone stands in lists of commands. */
class HelpTest {

  @TestFactory
  Stream<DynamicTest> everyParagraphOfADescriptionIsWholeSentences() {
    return commands(Main.line())
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.getCommandSpec().qualifiedName(), () -> check(command)));
  }

  private static void check(CommandLine command) {
    assertThat(command.getCommandSpec().usageMessage().description())
        .isNotEmpty()
        .allMatch(paragraph -> paragraph.endsWith("."));
    command
        .getCommandSpec()
        .options()
        .forEach(
            option ->
                assertThat(List.of(option.description()))
                    .as(option.longestName())
                    .isNotEmpty()
                    .allMatch(paragraph -> paragraph.endsWith(".")));
  }

  private static Stream<CommandLine> commands(CommandLine command) {
    return Stream.concat(
        Stream.of(command), command.getSubcommands().values().stream().flatMap(HelpTest::commands));
  }
}
