package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.runtime.StoreException;
import io.rebalancer.core.model.GroupId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

/** What was asked for by a coordinator that lost the slots, and has taken them again since. */
class FencedWriterIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final GroupId G = new GroupId("g");
  private static final String PATH = CoordinatorPaths.GROUPS + "/stale";

  private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
  private final List<String> fenced = new ArrayList<>();

  @Test
  void aWriteOfBeforeIsNotRepeatedAfterTheSlotsWereTakenAgain() throws Exception {
    try (TestingServer server = new TestingServer();
        ZkSession session =
            new ZkSession(
                server.getConnectString(),
                Duration.ofSeconds(20),
                observation -> {},
                System::nanoTime)) {
      assertThat(session.connect(DEADLINE)).isTrue();
      ZkLeadership leadership = new ZkLeadership(session, 1_000_000_000, "h:1");
      leadership.take();
      leadership.serve();
      FencedWriter writer =
          new FencedWriter(
              session,
              leadership,
              (delay, task) -> {
                later.add(task);
                return () -> later.remove(task);
              },
              () -> fenced.add("fenced"));
      server.stop();
      CompletableFuture<Void> write =
          writer.write(G, List.of(new FencedWriter.Put(PATH, "old".getBytes(UTF_8), false)));
      await().atMost(DEADLINE).until(() -> !later.isEmpty()); // Its outcome is unknown.
      server.restart();

      leadership.resign();
      await().atMost(DEADLINE).ignoreExceptions().until(() -> retaken(leadership));
      leadership.serve();
      later.remove().run();

      CompletionException failure = catchThrowableOfType(CompletionException.class, write::join);
      assertThat(((StoreException) failure.getCause()).reason())
          .isEqualTo(StoreException.Reason.FENCED);
      assertThat(fenced).isEmpty();
      assertThat(session.children(CoordinatorPaths.GROUPS).join()).isEmpty();
      writer.write(G, List.of(new FencedWriter.Put(PATH, "new".getBytes(UTF_8), false))).join();
    }
  }

  private static boolean retaken(ZkLeadership leadership) throws Exception {
    leadership.take();
    return true;
  }
}
