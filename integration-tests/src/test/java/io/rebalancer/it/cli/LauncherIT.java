package io.rebalancer.it.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/rebalancer} with the jar of this build. */
class LauncherIT {

  @TempDir private Path folder;

  private static final Path LAUNCHER = Path.of("..", "bin", "rebalancer");

  /** What it printed on both streams. */
  private String run(int exitCode, ProcessBuilder command) throws Exception {
    Path out = folder.resolve("out.txt");
    Process process =
        command
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();

    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    String printed = Files.readString(out, UTF_8);
    assertThat(process.exitValue()).as(printed).isEqualTo(exitCode);
    return printed;
  }

  @Test
  void itRunsFromAnyFolderAndThroughASymlink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), LAUNCHER.toRealPath());

    assertThat(run(0, new ProcessBuilder(link.toString(), "--version")))
        .startsWith("rebalancer ")
        .hasLineCount(1);
  }

  @Test
  void assignorsOfOnesOwnAreFoundInTheClassPathThatIsGiven() throws Exception {
    ProcessBuilder command =
        new ProcessBuilder(
            (LAUNCHER.toRealPath()
                    + " consumer --engine coordinator --group g --topics t --bootstrap-server a:1"
                    + " --strategy none")
                .split(" "));
    command
        .environment()
        .put("REBALANCER_CLASSPATH", Path.of("../examples/target/classes").toRealPath().toString());

    assertThat(run(2, command)).contains("uniform, weighted, whole-topics)");
  }
}
