package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import io.rebalancer.bridge.runtime.Interrupts;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.zk.Profile;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer consumer}: one member of a group, which shows what happens to it. */
@Command(
    name = "consumer",
    description = {
      "Joins a group as one consumer and prints a JSON line per event: registered, rebalance-started,",
      "revoked, assigned, claim-lost, gave-up, lost, closed. Ends cleanly on SIGTERM."
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
        description = "Consume every topic whose whole name matches; zk engine only.")
    private @Nullable String whitelist;
  }

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = "For the zk engine: the ensemble that holds the group.")
  private @Nullable ConnectString zookeeper;

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT",
      converter = CoordinatorCommand.Address.class,
      description = "For the coordinator engine: any coordinator.")
  private @Nullable HostPort bootstrapServer;

  @Option(
      names = "--consumer-id",
      paramLabel = "ID",
      description = "The original's consumer.id (default: HOST-MILLIS-RANDOM).")
  private @Nullable String consumerId;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      defaultValue = "1.1",
      description = "Which release the zk engine behaves like (default: ${DEFAULT-VALUE}).")
  private String profile;

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      defaultValue = "range",
      description = "range or roundrobin (default: ${DEFAULT-VALUE}).")
  private String strategy;

  @Override
  public Integer call() {
    String name = consumerId != null ? consumerId : generatedId();
    ConsumerEvents events =
        new ConsumerEvents(spec.commandLine().getOut(), Clock.systemUTC(), group, name);
    MemberConfig config;
    try {
      config = new MemberConfig(group, name, selection());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    Logs.show(Level.WARN);
    try (RebalanceEngine started = start(events)) {
      GroupMember member = started.join(config, events);
      events.registered();
      Interrupts.awaitThen(member::close);
      events.print("closed");
    }
    return ExitCode.DONE;
  }

  private RebalanceEngine start(ConsumerEvents events) {
    try {
      switch (engine) {
        case "zk" -> {
          return new ZkRebalanceEngine(
              ZkEngineConfig.defaults(demand("--zookeeper", zookeeper).toString())
                  .withProfile(Profile.parse(profile))
                  .withAssignmentStrategy(strategy),
              events);
        }
        case "coordinator" -> {
          HostPort server = demand("--bootstrap-server", bootstrapServer);
          return new CoordinatorRebalanceEngine(
              CoordinatorClientConfig.of(
                      List.of(new InetSocketAddress(server.host(), server.port())))
                  .withAssignmentStrategy(strategy),
              events);
        }
        default ->
            throw new UsageException(
                "--engine: \"" + engine + "\" (expected: one of zk, coordinator)");
      }
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static <T> T demand(String flag, @Nullable T value) {
    if (value == null) {
      throw new UsageException(flag + " is missing");
    }
    return value;
  }

  private TopicSelection selection() {
    if (topics.whitelist != null) {
      if (engine.equals("coordinator")) {
        throw new UsageException("--whitelist goes with --engine zk");
      }
      int colon = topics.whitelist.matches(".*:\\d{1,4}") ? topics.whitelist.lastIndexOf(':') : -1;
      String regex = colon < 0 ? topics.whitelist : topics.whitelist.substring(0, colon);
      int streams = colon < 0 ? 1 : Integer.parseInt(topics.whitelist.substring(colon + 1));
      return new WildcardSubscription(TopicFilter.whiteList(regex), streams);
    }
    Map<String, Integer> streams = new TreeMap<>();
    for (String part : demand("--topics", topics.names)) {
      int colon = part.indexOf(':');
      String topic = colon < 0 ? part : part.substring(0, colon);
      String count = colon < 0 ? "1" : part.substring(colon + 1);
      if (topic.isEmpty() || !count.matches("\\d{1,4}")) {
        throw new UsageException("--topics: \"" + part + "\" (expected: TOPIC[:STREAMS])");
      }
      streams.put(topic, Integer.parseInt(count));
    }
    return Subscription.copyOf(streams);
  }

  /** As the original made its ids. */
  private static String generatedId() {
    String random = Long.toHexString(UUID.randomUUID().getMostSignificantBits());
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "localhost";
    }
    return host
        + "-"
        + Clock.systemUTC().millis()
        + "-"
        + random.substring(0, Math.min(8, random.length()));
  }
}
