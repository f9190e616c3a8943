package io.rebalancer.bench;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Ends the JVM of a benchmark that takes too long or too much: an assignor that does not end heeds
 * no interrupt.
 */
final class Limit {

  private static final String FILE = "rebalancer.bench.ended";
  private static final String LIMIT = "rebalancer.bench.limit";
  private static final int DEFAULT_SECONDS = 60;

  /** The only call of a long one: then its milliseconds and bytes. */
  static final String ONCE = "once ";

  private static final long LONG_NANOS = SECONDS.toNanos(10);

  private final Optional<Path> file;
  private final int seconds;

  private Limit(Optional<Path> file, int seconds) {
    this.file = file;
    this.seconds = seconds;
  }

  /** None where nobody asked for a word of it: the JVM is not the benchmark's own. */
  static Limit ofThisJvm() {
    return new Limit(
        Optional.ofNullable(System.getProperty(FILE)).map(Path::of),
        Integer.getInteger(LIMIT, DEFAULT_SECONDS));
  }

  static String[] options(Path file, int seconds) {
    return new String[] {"-D" + FILE + "=" + file, "-D" + LIMIT + "=" + seconds};
  }

  <T> T within(Supplier<T> work) {
    if (file.isEmpty()) {
      return work.get();
    }
    CountDownLatch done = new CountDownLatch(1);
    Thread watch = new Thread(() -> endUnless(done, file.get()), "limit");
    watch.setDaemon(true);
    watch.start();
    try {
      return work.get();
    } catch (OutOfMemoryError e) {
      end(file.get(), "out of memory");
      throw e;
    } finally {
      done.countDown();
    }
  }

  /** The first of many calls; the only one, and the result, if it takes long. */
  void first(Supplier<Object> work) {
    long bytes = allocated();
    long start = System.nanoTime();
    within(work);
    long nanos = System.nanoTime() - start;
    if (file.isPresent() && nanos > LONG_NANOS) {
      end(file.get(), ONCE + nanos / 1e6 + " " + (allocated() - bytes));
    }
  }

  private static long allocated() {
    return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
        ? threads.getThreadAllocatedBytes(Thread.currentThread().getId())
        : 0;
  }

  private void endUnless(CountDownLatch done, Path why) {
    try {
      if (!done.await(seconds, SECONDS)) {
        end(why, "> " + seconds + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void end(Path why, String word) {
    try {
      Files.writeString(why, word);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
