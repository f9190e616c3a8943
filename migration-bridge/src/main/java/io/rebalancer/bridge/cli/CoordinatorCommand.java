package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rebalancer.bridge.runtime.Ending;
import io.rebalancer.bridge.runtime.MetricsServer;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.CoordinatorProperties;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.core.observe.RebalanceObserver;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Properties;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code rebalancer coordinator}: a group coordinator as a process. */
@Command(
    name = "coordinator",
    description = "Runs a group coordinator that speaks Kafka's group protocol.",
    mixinStandardHelpOptions = true)
final class CoordinatorCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description =
          "The ensemble that holds /brokers and the coordinator's state"
              + " (default: a ZooKeeper of its own, for as long as it runs).")
  private @Nullable ConnectString zookeeper;

  @Option(
      names = "--data-dir",
      paramLabel = "FOLDER",
      description = "Where a ZooKeeper of its own keeps its data (default: a temporary folder).")
  private @Nullable Path dataDir;

  @Option(
      names = "--topics",
      paramLabel = "NAME:N[,NAME:N...]",
      converter = TopicSizes.class,
      description = "Topics to create with so many partitions where they do not exist.")
  private TopicSizes.@Nullable Sizes topics;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A properties file with Kafka's keys; flags have the last word.")
  private @Nullable Path configFile;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "Where to listen; port 0 takes a free one (default: 127.0.0.1:9092).")
  private @Nullable HostPort listen;

  @Option(
      names = "--node-id",
      paramLabel = "N",
      description = "By which the protocol names it, at least 1000000000 (default: that).")
  private @Nullable Integer nodeId;

  @Option(
      names = "--advertised",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "What clients are told to connect to (default: where it listens).")
  private @Nullable HostPort advertised;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description =
          "Serve /metrics (Prometheus), /livez and /readyz on this port of the listening host;"
              + " 0 takes a free one (default: not at all).")
  private @Nullable Integer metricsPort;

  static final class Address implements ITypeConverter<HostPort> {
    @Override
    public HostPort convert(String value) {
      try {
        return HostPort.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("\"" + value + "\" (expected: HOST:PORT)");
      }
    }
  }

  @Override
  public Integer call() {
    Properties file = configFile == null ? new Properties() : PropertiesFile.read(configFile);
    if (zookeeper != null) {
      file.setProperty(CoordinatorProperties.ZOOKEEPER_CONNECT, zookeeper.toString());
    }
    if (listen != null) {
      file.setProperty(CoordinatorProperties.LISTENERS, listen.toString());
    }
    if (advertised != null) {
      if (advertised.port() == 0) {
        throw new UsageException("--advertised: \"" + advertised + "\" (expected: a port above 0)");
      }
      file.setProperty(CoordinatorProperties.ADVERTISED_LISTENERS, advertised.toString());
    }
    if (nodeId != null) {
      file.setProperty(CoordinatorProperties.NODE_ID, nodeId.toString());
    }
    if (metricsPort != null && (metricsPort < 0 || metricsPort > 65_535)) {
      throw new UsageException("--metrics-port: " + metricsPort + " (expected: 0 to 65535)");
    }
    if (dataDir != null && dataDir.toString().isBlank()) {
      throw new UsageException("--data-dir: \"" + dataDir + "\" (expected: a folder)");
    }
    boolean own = !file.containsKey(CoordinatorProperties.ZOOKEEPER_CONNECT);
    if (!own && dataDir != null) {
      throw new UsageException("--data-dir goes with a ZooKeeper of its own, without --zookeeper");
    }
    if (own) {
      file.setProperty(CoordinatorProperties.ZOOKEEPER_CONNECT, "127.0.0.1:1");
    }
    CoordinatorConfig config = config(file); // What is wrong is said before anything is started.
    Ending ending = new Ending();
    ending.onTerm();
    try {
      if (own) {
        runWithZooKeeper(config, ending);
      } else {
        run(config, null, ending);
      }
    } catch (RuntimeException e) {
      if (!ending.isTold()) {
        throw e;
      }
    }
    return ExitCode.DONE;
  }

  private void runWithZooKeeper(CoordinatorConfig config, Ending ending) {
    try (EmbeddedZooKeeper zooKeeper =
        dataDir == null ? EmbeddedZooKeeper.start() : EmbeddedZooKeeper.startOn(dataDir)) {
      run(config.withZookeeperConnect(zooKeeper.connectString()), zooKeeper, ending);
    }
  }

  private CoordinatorConfig config(Properties properties) {
    try {
      ConnectString.parse(properties.getProperty(CoordinatorProperties.ZOOKEEPER_CONNECT).strip());
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          configFile + ": " + CoordinatorProperties.ZOOKEEPER_CONNECT + ": " + e.getMessage());
    }
    try {
      SortedSet<String> unknown = CoordinatorProperties.unknown(properties);
      if (!unknown.isEmpty()) {
        spec.commandLine()
            .getErr()
            .println("rebalancer: " + configFile + ": keys that are not known: " + unknown);
      }
      return CoordinatorProperties.read(properties);
    } catch (IllegalArgumentException e) {
      throw new UsageException((configFile == null ? "" : configFile + ": ") + e.getMessage());
    }
  }

  private void run(CoordinatorConfig config, @Nullable EmbeddedZooKeeper own, Ending ending) {
    createTopics(config, own != null);
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AtomicReference<CoordinatorNode> serving = new AtomicReference<>();
    Logs.show(Level.INFO); // It may wait for another coordinator, and says so.
    try (MetricsServer metrics = metrics(config, registry, serving);
        CoordinatorNode node = CoordinatorNode.start(config, RebalanceObserver.none(), registry)) {
      serving.set(node);
      PrintWriter out = spec.commandLine().getOut();
      if (metrics != null) {
        out.println(
            "metrics at http://"
                + new HostPort(config.listen().host(), metrics.address().getPort())
                + "/metrics");
      }
      if (own != null) {
        out.println("zookeeper at " + own.connectString());
      }
      HostPort address = new HostPort(config.listen().host(), node.address().getPort());
      out.flush();
      node.takenOver().thenRun(() -> out.println("listening on " + address));
      ending.awaitThen(
          () -> {
            node.close();
            if (own != null) {
              own.close();
            }
          });
    }
  }

  private @Nullable MetricsServer metrics(
      CoordinatorConfig config,
      PrometheusMeterRegistry registry,
      AtomicReference<CoordinatorNode> serving) {
    if (metricsPort == null) {
      return null;
    }
    return new MetricsServer(
        config.listen().host(),
        metricsPort,
        registry,
        () -> serving.get() != null && serving.get().isCoordinating());
  }

  private void createTopics(CoordinatorConfig config, boolean standIns) {
    if (topics == null) {
      return;
    }
    ConnectString ensemble = ConnectString.parse(config.zookeeperConnect());
    try (ZooKeeperConnection connection = ZooKeeperConnection.openOrCreate(ensemble)) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      if (standIns) {
        cluster.ensureBrokers(1);
      }
      if (cluster.brokers().isEmpty()) {
        throw new RefusedException(
            "--topics: no broker is registered under /brokers/ids of " + ensemble);
      }
      topics.partitions().forEach(cluster::createTopic);
    }
  }
}
