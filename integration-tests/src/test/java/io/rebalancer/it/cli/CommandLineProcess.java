package io.rebalancer.it.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line in a JVM of its own, as its users run it. */
public final class CommandLineProcess implements AutoCloseable {

  private static final String MAIN = "io.rebalancer.bridge.cli.Main";

  /** Most of these commands live for a second or two. */
  private static final List<String> QUICK_START =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private final Process process;
  private final Path out;
  private final Path err;

  /** What a finished command left behind. */
  public record Finished(int exitCode, String out, String err) {}

  private CommandLineProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts it in {@code folder}, which also gets its output. */
  public static CommandLineProcess start(Path folder, String... arguments) throws IOException {
    return startProgram(folder, MAIN, arguments);
  }

  /** Starts another program of ours by its main class. */
  public static CommandLineProcess startProgram(Path folder, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(withDefaultSignals());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(QUICK_START);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main);
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(folder, "stdout", ".txt");
    Path err = Files.createTempFile(folder, "stderr", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    return new CommandLineProcess(process, out, err);
  }

  /**
   * A process started in the background of a shell inherits that SIGINT is ignored, and a JVM
   * respects that: whatever these tests are started by, the command is to have a terminal's
   * defaults.
   */
  private static List<String> withDefaultSignals() {
    List<String> prefix = List.of("env", "--default-signal=INT,TERM");
    try {
      List<String> trial = new ArrayList<>(prefix);
      trial.add("true");
      return new ProcessBuilder(trial).start().waitFor() == 0 ? prefix : List.of();
    } catch (IOException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /** Runs it to its end. */
  public static Finished run(Path folder, String... arguments) throws Exception {
    try (CommandLineProcess command = start(folder, arguments)) {
      return command.awaitEnd();
    }
  }

  public Finished awaitEnd() throws Exception {
    if (!process.waitFor(300, TimeUnit.SECONDS)) {
      throw new AssertionError("still running: " + out() + err());
    }
    return new Finished(process.exitValue(), out(), err());
  }

  public String out() throws IOException {
    return Files.readString(out, UTF_8);
  }

  public String err() throws IOException {
    return Files.readString(err, UTF_8);
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Sends a signal, such as {@code INT}. */
  public void signal(String name) throws Exception {
    signal(process.toHandle(), name);
  }

  /** As {@link #signal(String)}, to what it has started first, as a service manager does. */
  public void signalAll(String name) throws Exception {
    for (ProcessHandle started : process.descendants().toList()) {
      signal(started, name);
    }
    signal(name);
  }

  static void signal(ProcessHandle process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
