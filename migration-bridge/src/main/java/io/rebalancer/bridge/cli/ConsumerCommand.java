package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import io.rebalancer.bridge.runtime.Ending;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorClientProperties;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.zk.ConsumerProperties;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer consumer}: one member of a group, which shows what happens to it. */
@Command(
    name = "consumer",
    description = {
      "Joins a group as one consumer and prints a JSON line per event.",
      "Events are registered, rebalance-started, revoked, assigned, claim-lost, gave-up, lost and"
          + " closed. Ends cleanly on SIGTERM."
    },
    mixinStandardHelpOptions = true)
final class ConsumerCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      required = true,
      description = "zk (with --zookeeper) or coordinator (with --bootstrap-server).")
  private String engine;

  @Option(
      names = "--group",
      required = true,
      paramLabel = "GROUP",
      converter = GroupOption.class,
      description = "The group to join.")
  private GroupId group;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Topics topics;

  static final class Topics {
    @Option(
        names = "--topics",
        split = ",",
        paramLabel = "TOPIC[:STREAMS]",
        description = "What to consume, each topic with its number of streams (default: 1).")
    private @Nullable List<String> names;

    @Option(
        names = "--whitelist",
        paramLabel = "REGEX[:STREAMS]",
        description = "Consume every topic whose whole name matches.")
    private @Nullable String whitelist;

    @Option(
        names = "--blacklist",
        paramLabel = "REGEX[:STREAMS]",
        description = "Consume every topic whose whole name does not match.")
    private @Nullable String blacklist;
  }

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = "For the zk engine: the ensemble that holds the group.")
  private @Nullable ConnectString zookeeper;

  @Mixin private SecurityFlag security;

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      converter = BootstrapOption.class,
      description = "For the coordinator engine: coordinators, asked in turn.")
  private @Nullable String bootstrapServer;

  @Option(
      names = "--consumer-id",
      paramLabel = "ID",
      description = "The original's consumer.id (default: HOST-MILLIS-RANDOM).")
  private @Nullable String consumerId;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description = "Which release the zk engine behaves like (default: 1.1).")
  private @Nullable String profile;

  @Option(
      names = "--strict",
      description = "The zk engine heals what the original leaves broken, on the same znodes.")
  private boolean strict;

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      description =
          "range or roundrobin (default: range); with the coordinator engine also sticky,"
              + " cooperative-sticky, uniform or weighted.")
  private @Nullable String strategy;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "For the zk engine: a properties file with the original consumer's keys, such as"
              + " rebalance.backoff.ms. The flags go before it.")
  private @Nullable Path config;

  @Option(
      names = "--group-instance-id",
      paramLabel = "ID",
      description =
          "For the coordinator engine: a static member, whose place is kept for the session timeout"
              + " (45 s) when it ends.")
  private @Nullable String groupInstanceId;

  @Option(
      names = "--scheduled-rebalance-max-delay-ms",
      paramLabel = "MS",
      description =
          "For the coordinator engine, with --strategy uniform or weighted: how long a group that"
              + " this consumer leads keeps what a vanished member had (default: 0). A group whose"
              + " coordinator assigns has its own.")
  private @Nullable Integer scheduledRebalanceMaxDelayMs;

  @Option(
      names = "--max-poll-interval-ms",
      paramLabel = "MS",
      description =
          "For the coordinator engine: how long a rebalance waits for this consumer to join"
              + " (default: 300000).")
  private @Nullable Integer maxPollIntervalMs;

  @Option(
      names = "--metadata-max-age-ms",
      paramLabel = "MS",
      description =
          "For the coordinator engine, with --whitelist or --blacklist: how often to look for other"
              + " topics (default: 300000).")
  private @Nullable Integer metadataMaxAgeMs;

  @Override
  public Integer call() {
    String name = consumerId != null ? consumerId : ConsumerProperties.generatedId();
    MemberConfig member;
    try {
      member = new MemberConfig(group, name, selection());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    Logs.show(Level.WARN);
    Ending ending = new Ending();
    ConsumerEvents events =
        new ConsumerEvents(
            spec.commandLine().getOut(),
            Clock.systemUTC(),
            group,
            name,
            engine.equals("coordinator"),
            ending::begin);
    try {
      return run(name, member, events, ending);
    } catch (RuntimeException e) {
      if (!ending.isTold() || events.isRefused()) {
        throw e;
      }
      return ExitCode.DONE;
    }
  }

  private int run(String name, MemberConfig member, ConsumerEvents events, Ending ending) {
    try (RebalanceEngine started = start(name, events)) {
      ending.onTerm();
      GroupMember joined = started.join(member, events);
      events.registered();
      ending.awaitThen(
          () -> {
            events.closing();
            joined.close();
          });
      if (events.isRefused()) {
        return ExitCode.INVALID;
      }
      events.print("closed");
    }
    return ExitCode.DONE;
  }

  private RebalanceEngine start(String name, ConsumerEvents events) {
    try {
      return switch (engine) {
        case "zk" ->
            new ZkRebalanceEngine(ConsumerProperties.parse(properties(name)).engine(), events);
        case "coordinator" -> new CoordinatorRebalanceEngine(clientConfig(), events);
        default ->
            throw new UsageException(
                "--engine: \"" + engine + "\" (expected: one of zk, coordinator)");
      };
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Properties properties(String name) {
    if (bootstrapServer != null
        || groupInstanceId != null
        || scheduledRebalanceMaxDelayMs != null
        || maxPollIntervalMs != null
        || metadataMaxAgeMs != null) {
      throw new UsageException(
          "--bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and"
              + " --metadata-max-age-ms go with --engine coordinator");
    }
    Properties properties = config == null ? new Properties() : PropertiesFile.read(config);
    properties.putAll(security.properties());
    properties.put("group.id", group.value());
    properties.put("consumer.id", name);
    if (zookeeper != null) {
      properties.put("zookeeper.connect", zookeeper.toString());
    } else if (!properties.containsKey("zookeeper.connect")) {
      throw new UsageException("--zookeeper is missing");
    }
    putIfGiven(properties, "partition.assignment.strategy", strategy);
    putIfGiven(properties, "rebalancer.profile", profile);
    if (strict) {
      properties.put("rebalancer.strict", "true");
    }
    return properties;
  }

  private static void putIfGiven(Properties properties, String key, @Nullable String value) {
    if (value != null) {
      properties.put(key, value);
    }
  }

  private CoordinatorClientConfig clientConfig() {
    if (zookeeper != null || config != null || strict || profile != null) {
      throw new UsageException("--zookeeper, --config, --strict and --profile go with --engine zk");
    }
    if (security.isGiven()) {
      throw new UsageException("--zookeeper-config goes with --engine zk");
    }
    String servers = demand("--bootstrap-server", bootstrapServer);
    CoordinatorClientConfig read =
        CoordinatorClientProperties.read(Map.of("bootstrap.servers", servers))
            .withAssignmentStrategy(strategy == null ? "range" : strategy);
    if (groupInstanceId != null) {
      read = read.withGroupInstanceId(groupInstanceId);
    }
    if (scheduledRebalanceMaxDelayMs != null) {
      read = read.withScheduledRebalanceMaxDelay(Duration.ofMillis(scheduledRebalanceMaxDelayMs));
    }
    if (maxPollIntervalMs != null) {
      read = read.withTimeouts(Duration.ofMillis(maxPollIntervalMs), read.requestTimeout());
    }
    if (metadataMaxAgeMs != null) {
      read = read.withMetadataMaxAge(Duration.ofMillis(metadataMaxAgeMs));
    }
    return read;
  }

  private static <T> T demand(String flag, @Nullable T value) {
    if (value == null) {
      throw new UsageException(flag + " is missing");
    }
    return value;
  }

  private TopicSelection selection() {
    if (topics.whitelist != null) {
      return wildcard(TopicFilter::whiteList, topics.whitelist);
    }
    if (topics.blacklist != null) {
      return wildcard(TopicFilter::blackList, topics.blacklist);
    }
    Map<String, Integer> streams = new TreeMap<>();
    for (String part : demand("--topics", topics.names)) {
      int colon = part.indexOf(':');
      String topic = colon < 0 ? part : part.substring(0, colon);
      String count = colon < 0 ? "1" : part.substring(colon + 1);
      if (topic.isEmpty() || !count.matches("\\d{1,4}")) {
        throw new UsageException("--topics: \"" + part + "\" (expected: TOPIC[:STREAMS])");
      }
      if (streams.put(topic, Integer.parseInt(count)) != null) {
        throw new UsageException("--topics: " + topic + " is given twice");
      }
    }
    return Subscription.copyOf(streams);
  }

  private static TopicSelection wildcard(Function<String, TopicFilter> kind, String text) {
    int colon = text.matches(".*:\\d{1,4}") ? text.lastIndexOf(':') : -1;
    String regex = colon < 0 ? text : text.substring(0, colon);
    int streams = colon < 0 ? 1 : Integer.parseInt(text.substring(colon + 1));
    return new WildcardSubscription(kind.apply(regex), streams);
  }
}
