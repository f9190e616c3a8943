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

  @Test
  void itRunsFromAnyFolderAndThroughASymlink() throws Exception {
    Path launcher = Path.of("..", "bin", "rebalancer").toRealPath();
    Path link = Files.createSymbolicLink(folder.resolve("link"), launcher);
    Path out = folder.resolve("out.txt");

    Process process =
        new ProcessBuilder(link.toString(), "--version")
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(Files.readString(out, UTF_8)).startsWith("rebalancer ").hasLineCount(1);
  }
}
