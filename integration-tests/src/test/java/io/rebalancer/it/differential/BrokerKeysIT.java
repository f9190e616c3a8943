package io.rebalancer.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.CoordinatorProperties;
import io.rebalancer.it.peers.PeerJvm;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The file of a Kafka 4.4.0 broker can be given to the coordinator. */
@Tag("real")
class BrokerKeysIT {

  private static Set<?> keysOfTheBroker() throws Exception {
    Path folder = Path.of(PeerJvm.classPath("kafka-" + KafkaBroker.RELEASE)).getParent();
    List<URL> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
      for (Path jar : files) {
        jars.add(jar.toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Object definition =
          loader
              .loadClass("org.apache.kafka.server.config.AbstractKafkaConfig")
              .getField("CONFIG_DEF")
              .get(null);
      return (Set<?>) definition.getClass().getMethod("names").invoke(definition);
    }
  }

  @Test
  void noKeyOfABrokerIsTakenForAMisspeltOneOfOurs() throws Exception {
    Set<?> keys = keysOfTheBroker();
    assertThat(keys).hasSizeGreaterThan(200);
    for (Object key : keys) {
      Properties properties = new Properties();
      properties.setProperty(CoordinatorProperties.ZOOKEEPER_CONNECT, "zk:1");
      if (!isRead(key.toString())) {
        properties.setProperty(key.toString(), "1");
        assertThat(CoordinatorProperties.unknown(properties)).containsExactly(key.toString());
      }
    }
  }

  private static boolean isRead(String key) {
    Properties properties = new Properties();
    properties.setProperty(CoordinatorProperties.ZOOKEEPER_CONNECT, "zk:1");
    properties.setProperty(key, "no value");
    try {
      return CoordinatorProperties.unknown(properties).isEmpty();
    } catch (IllegalArgumentException e) {
      return e.getMessage().contains("\"no value\"");
    }
  }
}
