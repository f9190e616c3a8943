package io.rebalancer.bridge.cli;

import static java.util.stream.Collectors.joining;

import io.rebalancer.zk.security.SecureHandles;
import io.rebalancer.zk.security.ZkSecurity;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --zookeeper-config}: how a command shows who it is to ZooKeeper. */
final class SecurityFlag {

  @Option(
      names = "--zookeeper-config",
      paramLabel = "FILE",
      description = "A properties file with TLS, logins and ACLs for ZooKeeper: docs/security.md.")
  private @Nullable Path file;

  boolean isGiven() {
    return file != null;
  }

  /** The file's keys; throws {@link UsageException} naming the file and every key it is about. */
  Map<String, String> properties() {
    Map<String, String> properties = new TreeMap<>();
    if (file != null) {
      try {
        PropertiesFile.read(file)
            .forEach((key, value) -> properties.put(String.valueOf(key), String.valueOf(value)));
        check(properties);
      } catch (UsageException e) {
        throw new UsageException("--zookeeper-config: " + e.getMessage());
      } catch (IllegalArgumentException e) {
        throw new UsageException("--zookeeper-config: " + file + ": " + e.getMessage());
      }
    }
    return properties;
  }

  ZkSecurity security() {
    return ZkSecurity.parse(properties());
  }

  private static void check(Map<String, String> properties) {
    String foreign =
        properties.keySet().stream().filter(key -> !ZkSecurity.isKey(key)).collect(joining(", "));
    if (!foreign.isEmpty()) {
      throw new IllegalArgumentException(
          foreign + ": unknown (expected: keys of docs/security.md)");
    }
    new SecureHandles(ZkSecurity.parse(properties)).demandUsable();
  }
}
