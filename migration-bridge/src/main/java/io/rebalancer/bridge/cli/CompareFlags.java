package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.Scenarios;
import io.rebalancer.bridge.runtime.Machine;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The parameters of a comparison as flags, with their defaults and bounds. */
final class CompareFlags {

  private static final String ALL = "all";
  private static final String BOTH = "both";
  private static final List<String> ENGINES = List.of("zk", "coordinator");
  private static final List<String> PROFILES = List.of("documented", "1.1", "0.8", "0.7");

  /** A ZooKeeper client holds three descriptors; a coordinator's member one at either end. */
  private static final int FILES_PER_MEMBER = 4;

  private static final int FILES_FOR_THE_REST = 300;
  private static final int DEFAULT_RESTARTS = 5;

  @Option(
      names = "--members",
      paramLabel = "N",
      defaultValue = "20",
      description = "Members of the group (default: ${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--topics",
      paramLabel = "N",
      defaultValue = "1",
      description = "Topics (default: ${DEFAULT-VALUE}).")
  private int topics;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "100",
      description = "Partitions of each topic (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--brokers",
      paramLabel = "N",
      defaultValue = "3",
      description = "Stand-in brokers (default: ${DEFAULT-VALUE}).")
  private int brokers;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Streams of each member (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--scenario",
      split = ",",
      defaultValue = ALL,
      paramLabel = "NAME",
      description =
          "join, leave, crash, broker-add, broker-restart, partition-add, rolling-restart, or all (default: ${DEFAULT-VALUE}).")
  private List<String> scenarios;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = "both",
      description = "zk, coordinator or both (default: ${DEFAULT-VALUE}).")
  private String engine;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      defaultValue = "documented",
      description =
          "Which original the zk engine's members are: documented, 1.1, 0.8 or 0.7 (default: ${DEFAULT-VALUE}).")
  private String profile;

  @Option(
      names = "--heartbeat-ms",
      paramLabel = "MS",
      defaultValue = "3000",
      description = "Heartbeat interval (default: ${DEFAULT-VALUE}).")
  private long heartbeatMs;

  @Option(
      names = "--session-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description =
          "Session timeout, of ZooKeeper sessions and of members (default: ${DEFAULT-VALUE}).")
  private long sessionMs;

  @Option(
      names = "--backoff-ms",
      paramLabel = "MS",
      defaultValue = "2000",
      description = "rebalance.backoff.ms of the zk engine (default: ${DEFAULT-VALUE}).")
  private long backoffMs;

  @Option(
      names = "--retries",
      paramLabel = "N",
      defaultValue = "4",
      description = "rebalance.max.retries of the zk engine (default: ${DEFAULT-VALUE}).")
  private int retries;

  @Option(
      names = "--initial-delay-ms",
      paramLabel = "MS",
      defaultValue = "0",
      description =
          "group.initial.rebalance.delay.ms of the coordinator (default: ${DEFAULT-VALUE}).")
  private long initialDelayMs;

  @Option(
      names = "--restarts",
      paramLabel = "N",
      description =
          "Members that rolling-restart restarts (default: 5, or all if there are fewer).")
  private @Nullable Integer restarts;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Picks who joins, leaves, crashes (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--exclusive",
      description =
          "The ensemble of --zookeeper is otherwise quiet and answers mntr: count at the server too.")
  private boolean exclusive;

  /** Throws {@link UsageException} for the first flag whose value cannot be used. */
  CompareParameters parameters() {
    Checks.atLeast("--members", members, 1);
    Checks.between("--topics", topics, 1, 1000);
    Checks.partitions(partitions);
    Checks.between("--brokers", brokers, 1, 1000);
    Checks.between("--threads", threads, 1, 1000);
    Checks.between("--heartbeat-ms", heartbeatMs, 10, 600_000);
    Checks.between("--session-ms", sessionMs, 2000, 600_000);
    if (sessionMs <= heartbeatMs) {
      throw new UsageException(
          "--session-ms: %d (expected: more than --heartbeat-ms, %d)"
              .formatted(sessionMs, heartbeatMs));
    }
    Checks.between("--backoff-ms", backoffMs, 1, 600_000);
    Checks.between("--retries", retries, 1, 1000);
    Checks.between("--initial-delay-ms", initialDelayMs, 0, 600_000);
    if (restarts != null) {
      Checks.between("--restarts", restarts, 1, members);
    }
    demandFiles();
    oneOf("--profile", profile, PROFILES);
    return new CompareParameters(
        members,
        topics,
        partitions,
        brokers,
        threads,
        scenarioNames(),
        engineNames(),
        profile,
        heartbeatMs,
        sessionMs,
        backoffMs,
        retries,
        initialDelayMs,
        restarts != null ? restarts : Math.min(DEFAULT_RESTARTS, members),
        seed,
        exclusive);
  }

  private void demandFiles() {
    Machine.maxOpenFiles()
        .ifPresent(
            files -> {
              long most = Math.max(0, files - FILES_FOR_THE_REST) / FILES_PER_MEMBER;
              if (members > most) {
                throw new UsageException(
                    "--members: %d (expected: at most %d, since this machine allows %d open files)"
                        .formatted(members, most, files));
              }
            });
  }

  private List<String> scenarioNames() {
    Set<String> wanted = new TreeSet<>(scenarios);
    if (wanted.contains(ALL)) {
      return Scenarios.NAMES;
    }
    wanted.forEach(name -> oneOf("--scenario", name, Scenarios.NAMES, ALL));
    return Scenarios.NAMES.stream().filter(wanted::contains).toList();
  }

  private List<String> engineNames() {
    if (engine.equals(BOTH)) {
      return ENGINES;
    }
    oneOf("--engine", engine, ENGINES, BOTH);
    return List.of(engine);
  }

  private static void oneOf(String flag, String value, List<String> known, String... alsoKnown) {
    if (!known.contains(value)) {
      String all =
          Stream.concat(known.stream(), Stream.of(alsoKnown)).collect(Collectors.joining(", "));
      throw new UsageException("%s: \"%s\" (expected: one of %s)".formatted(flag, value, all));
    }
  }
}
