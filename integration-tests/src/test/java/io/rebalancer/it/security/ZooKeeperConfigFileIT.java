package io.rebalancer.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.it.cli.CommandLineProcess;
import io.rebalancer.it.cli.CommandLineProcess.Finished;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --zookeeper-config} of every command that takes it, on a TLS port. */
class ZooKeeperConfigFileIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir static Path folder;

  private static KeyStores stores;
  private static SecureZooKeeper zookeeper;

  @BeforeAll
  static void open() throws Exception {
    stores = KeyStores.in(folder);
    zookeeper = SecureZooKeeper.start(folder, stores);
    write("secure.properties", stores.clientConfiguration());
  }

  @AfterAll
  static void close() {
    zookeeper.close();
  }

  private static void write(String file, Map<String, String> properties) throws Exception {
    List<String> lines = new ArrayList<>();
    new TreeMap<>(properties).forEach((key, value) -> lines.add(key + "=" + value));
    Files.write(folder.resolve(file), lines);
  }

  private static Finished run(String command) throws Exception {
    return CommandLineProcess.run(folder, command.split(" "));
  }

  private static String secured(String command) {
    return command + " --zookeeper " + zookeeper.tls() + " --zookeeper-config secure.properties";
  }

  private static String demandDone(String command) throws Exception {
    Finished finished = run(secured(command));
    assertThat(finished.exitCode()).as(finished.err()).isZero();
    return finished.out();
  }

  @Test
  void everyCommandWorksOverTls() throws Exception {
    demandDone("topics --create --topic t --partitions 2 --brokers 1");
    assertThat(demandDone("topics --list")).contains("t");
    String join = secured("consumer --engine zk --group g --topics t --consumer-id a");
    try (CommandLineProcess consumer = CommandLineProcess.start(folder, join.split(" "))) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(consumer.out()).contains("\"assigned\""));

      assertThat(demandDone("groups --list")).contains("g");
      assertThat(demandDone("groups --describe --group g --members")).contains("g_a");
      assertThat(demandDone("verify --group g")).isEqualTo("g: in order, 1 members, 1 topics\n");
      consumer.signal("TERM");
      assertThat(consumer.awaitEnd().exitCode()).isZero();
    }
    Files.writeString(folder.resolve("offsets.txt"), "/consumers/g/offsets/t/0:5\n");
    demandDone("offsets import --group g --input-file offsets.txt --execute");
    demandDone("offsets reset --group g --topic t:0 --shift-by 2 --execute");
    assertThat(demandDone("offsets export --group g")).isEqualTo("/consumers/g/offsets/t/0:7\n");
  }

  @Test
  void withoutTheFileTheTlsPortIsNamed() throws Exception {
    Finished finished = run("topics --list --zookeeper " + zookeeper.tls());

    assertThat(finished.err())
        .isEqualTo(
            "rebalancer: ZooKeeper "
                + zookeeper.tls()
                + " is not reachable: no server answered within 10000 ms: "
                + zookeeper.tls()
                + ": a TLS port (expected: zookeeper.ssl.client.enable=true for it)\n");
    assertThat(finished.exitCode()).isEqualTo(3);
  }

  @Test
  void offsetsThatAreImportedAreTheirWritersWhenAsked() throws Exception {
    demandDone("topics --create --topic u --partitions 1 --brokers 1");
    Map<String, String> properties = new TreeMap<>(stores.clientConfiguration());
    properties.put("zookeeper.auth.digest", "tool:secret");
    properties.put("zookeeper.set.acl", "true");
    write("acl.properties", properties);
    Files.writeString(folder.resolve("acl.txt"), "/consumers/h/offsets/u/0:5\n");
    String acl = " --zookeeper " + zookeeper.tls() + " --zookeeper-config acl.properties";
    assertThat(run("offsets import --group h --input-file acl.txt --execute" + acl).exitCode())
        .isZero();

    Finished foreign =
        run(
            "offsets reset --group h --topic u:0 --to-offset 1 --execute --zookeeper "
                + zookeeper.plain());

    assertThat(foreign.err()).contains("/consumers/h/offsets/u/0: NOAUTH");
    assertThat(demandDone("offsets export --group h")).isEqualTo("/consumers/h/offsets/u/0:5\n");
  }
}
