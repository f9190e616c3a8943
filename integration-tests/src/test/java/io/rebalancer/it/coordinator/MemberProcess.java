package io.rebalancer.it.coordinator;

import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Members in a JVM of their own. Arguments: coordinator's port, group, topic, member names. Writes
 * what its members own to standard output, a line each; ends when standard input ends.
 */
final class MemberProcess {

  private MemberProcess() {}

  public static void main(String[] args) throws IOException {
    CoordinatorClientConfig config =
        CoordinatorClientConfig.of(
                List.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]))))
            .withSession(Duration.ofSeconds(10), Duration.ofMillis(300));
    try (CoordinatorRebalanceEngine engine =
        new CoordinatorRebalanceEngine(config, MemberProcess::print)) {
      for (String name : Arrays.asList(args).subList(3, args.length)) {
        engine.join(
            new MemberConfig(new GroupId(args[1]), name, Subscription.copyOf(Map.of(args[2], 1))),
            OwnershipListener.none());
      }
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    }
  }

  private static synchronized void print(Observation observation) {
    if (observation instanceof Observation.Ownership ownership) {
      LedgerEntry entry = ownership.entry();
      System.out.println(
          String.join(
              " ",
              Long.toString(entry.atNanos()),
              entry.kind().name(),
              entry.member(),
              Integer.toString(entry.token().generation()),
              entry.partitions().toString()));
    }
  }
}
