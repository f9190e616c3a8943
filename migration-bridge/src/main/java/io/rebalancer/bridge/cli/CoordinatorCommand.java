package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import io.rebalancer.bridge.runtime.Interrupts;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.core.observe.RebalanceObserver;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
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
      required = true,
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = "The ensemble that holds /brokers and the coordinator's state.")
  private ConnectString zookeeper;

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "Where to listen; port 0 takes a free one.")
  private HostPort listen;

  @Option(
      names = "--advertised",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "What clients are told to connect to (default: where it listens).")
  private @Nullable HostPort advertised;

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
    CoordinatorConfig config = CoordinatorConfig.of(zookeeper.toString(), listen);
    if (advertised != null) {
      if (advertised.port() == 0) {
        throw new UsageException("--advertised: \"" + advertised + "\" (expected: a port above 0)");
      }
      config = config.withAdvertised(advertised);
    }
    try (CoordinatorNode node = CoordinatorNode.start(config, RebalanceObserver.none())) {
      Logs.show(Level.INFO);
      PrintWriter out = spec.commandLine().getOut();
      out.println("listening on " + new HostPort(listen.host(), node.address().getPort()));
      out.flush();
      Interrupts.awaitThen(node::close);
    }
    return ExitCode.DONE;
  }
}
