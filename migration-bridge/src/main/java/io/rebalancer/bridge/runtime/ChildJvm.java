package io.rebalancer.bridge.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM on this JVM's class path. It must end when its standard input ends, so that it dies
 * with this process however that ends; its standard error is this process's.
 */
public final class ChildJvm implements AutoCloseable {

  private static final long STOP_SECONDS = 5;

  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /** Starts {@code mainClass}; throws {@link EnvironmentException} if no JVM can be started. */
  public static ChildJvm start(List<String> jvmOptions, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.addAll(arguments);
    try {
      return new ChildJvm(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new EnvironmentException(
          "cannot start a JVM for " + mainClass + ": " + e.getMessage(), e);
    }
  }

  /**
   * Blocks for the next line of its standard output; throws {@link EnvironmentException} at its
   * end.
   */
  public String readLine() {
    try {
      String line = output.readLine();
      if (line == null) {
        throw new EnvironmentException("the JVM " + process.pid() + " ended before it was ready");
      }
      return line;
    } catch (IOException e) {
      throw new EnvironmentException("cannot read from JVM " + process.pid(), e);
    }
  }

  /** Writes one line to its standard input. */
  public void writeLine(String line) {
    try {
      OutputStream input = process.getOutputStream();
      input.write((line + "\n").getBytes(UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new EnvironmentException("cannot write to JVM " + process.pid(), e);
    }
  }

  public long pid() {
    return process.pid();
  }

  /** Ends its input, waits a few seconds, then kills it. Idempotent. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It is gone already, which is what was wanted.
    }
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
