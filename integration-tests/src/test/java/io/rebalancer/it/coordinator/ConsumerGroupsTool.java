package io.rebalancer.it.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * kafka-consumer-groups of kafka 4.4.0, unmodified, by its main class, in a class loader of its
 * own: a JVM for each command would take seconds. Nothing else may print meanwhile.
 */
final class ConsumerGroupsTool implements AutoCloseable {

  private static final String MAIN = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

  private final URLClassLoader loader;
  private final String bootstrap;

  /** How the tool wants to end its JVM. */
  private static final class Ended extends RuntimeException {
    Ended(int code) {
      super("exit code " + code);
    }
  }

  ConsumerGroupsTool(String bootstrap) throws IOException {
    this.bootstrap = bootstrap;
    Path jars =
        Path.of(System.getProperty("rebalancer.peers", "peers"), "tools-4.4.0", "target", "jars");
    List<URL> urls = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(jars, "*.jar")) {
      for (Path file : files) {
        urls.add(file.toUri().toURL());
      }
    }
    loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    try {
      Class<?> procedure =
          loader.loadClass("org.apache.kafka.common.utils.internals.Exit$Procedure");
      Object thrower =
          Proxy.newProxyInstance(
              loader,
              new Class<?>[] {procedure},
              (proxy, method, arguments) -> {
                throw new Ended((int) arguments[0]);
              });
      loader
          .loadClass("org.apache.kafka.common.utils.internals.Exit")
          .getMethod("setExitProcedure", procedure)
          .invoke(null, thrower);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The lines it printed, words a blank apart, without its log and without stack traces. */
  List<String> run(String... arguments) {
    String[] all =
        Stream.concat(Stream.of("--bootstrap-server", bootstrap), Arrays.stream(arguments))
            .toArray(String[]::new);
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = System.out;
    PrintStream err = System.err;
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (PrintStream captured = new PrintStream(output, true, UTF_8)) {
      System.setOut(captured);
      System.setErr(captured);
      thread.setContextClassLoader(loader);
      loader.loadClass(MAIN).getMethod("main", String[].class).invoke(null, (Object) all);
    } catch (InvocationTargetException e) {
      if (!(e.getCause() instanceof Ended)) {
        throw new IllegalStateException(e.getCause());
      }
      output.writeBytes(("\n" + e.getCause().getMessage() + "\n").getBytes(UTF_8));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    } finally {
      System.setOut(out);
      System.setErr(err);
      thread.setContextClassLoader(before);
    }
    return output
        .toString(UTF_8)
        .lines()
        .filter(
            line ->
                !line.isBlank()
                    && !line.matches(
                        "SLF4J: .*|\\s+at .*|java.*Exception: .*|Caused by: .*|\\s+\\.\\.\\. .*"))
        .map(line -> line.strip().replaceAll("\\s+", " "))
        .toList();
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
