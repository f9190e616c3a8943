package io.rebalancer.bridge.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM on this JVM's class path. It must end when its standard input ends, so that it dies
 * with this process however that ends; its standard error is this process's.
 */
public final class ChildJvm implements AutoCloseable {

  private static final long STOP_SECONDS = 5;

  /** Most are ready in a second; a ZooKeeper reads all its data before. */
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  private final Process process;

  /** The lines of its standard output, and nothing at its end. */
  private final BlockingQueue<Optional<String>> output = new LinkedBlockingQueue<>();

  private ChildJvm(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readOutput, "output of JVM " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  private void readOutput() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(Optional.of(line));
      }
    } catch (IOException e) {
      // Closed with the process: that is the end, too.
    } finally {
      output.add(Optional.empty());
    }
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
   * Blocks for the next line of its standard output, two minutes at most; throws {@link
   * EnvironmentException} after that, at its end, and when the thread is interrupted.
   */
  public String readLine() {
    try {
      Optional<String> line = output.poll(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
      if (line == null) {
        throw new EnvironmentException(
            "the JVM "
                + process.pid()
                + " was not ready within "
                + ANSWER_LIMIT.toSeconds()
                + " seconds");
      }
      return line.orElseThrow(
          () ->
              new EnvironmentException("the JVM " + process.pid() + " ended before it was ready"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EnvironmentException("interrupted while JVM " + process.pid() + " started", e);
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

  /**
   * Ends its input, waits a few seconds, then kills it; a thread that was interrupted before waits
   * as well. Idempotent.
   */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It is gone already, which is what was wanted.
    }
    boolean interrupted = Thread.interrupted();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
