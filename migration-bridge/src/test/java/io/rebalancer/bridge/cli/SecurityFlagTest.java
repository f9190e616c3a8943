package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A bad {@code --zookeeper-config} is named with its key before anything is sent. */
class SecurityFlagTest {

  @TempDir private Path folder;

  private static void demandOneLine(String message, String... arguments) {
    StringWriter err = new StringWriter();

    int exitCode =
        Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err, true), arguments);

    assertThat(err).hasToString("rebalancer: " + message + System.lineSeparator());
    assertThat(exitCode).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zookeeper.ssl.trustStore.location=/t"
            + " | zookeeper.ssl.trustStore.location: unknown (expected:"
            + " zookeeper.ssl.truststore.location)",
        "zookeeper.ssl.truststore.location=/no/such.p12"
            + " | zookeeper.ssl.truststore.location: /no/such.p12 (expected: a file that can be read)",
        "group.id=g | group.id: unknown (expected: keys of docs/security.md)",
        "zookeeper.set.acl=yes | zookeeper.set.acl: \"yes\" (expected: true or false)",
        "zookeeper.auth.digest=secret"
            + " | zookeeper.auth.digest: a secret not shown (expected: USER:PASSWORD)",
        "zookeeper.sasl.clientconfig=None | zookeeper.sasl.clientconfig: \"None\""
            + " (expected: a login context of the JAAS configuration)"
      })
  void aBadLineIsNamedWithItsFile(String line, String message) throws Exception {
    Path file = folder.resolve("bad.properties");
    Files.write(file, List.of("zookeeper.ssl.client.enable=true", line));

    demandOneLine(
        "--zookeeper-config: " + file + ": " + message,
        ("groups --list --zookeeper 127.0.0.1:1 --zookeeper-config " + file).split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "topics --list",
        "groups --list",
        "verify --group g",
        "offsets export --group g",
        "offsets import --group g --input-file ${file}",
        "offsets reset --group g --all-topics --to-offset 1",
        "consumer --engine zk --group g --topics t"
      })
  void everyCommandTakesTheFlag(String command) throws Exception {
    Path offsets = folder.resolve("offsets.txt");
    Files.writeString(offsets, "/consumers/g/offsets/t/0:1\n");
    Path missing = folder.resolve("no.properties");

    demandOneLine(
        "--zookeeper-config: " + missing + ": no such file",
        (command.replace("${file}", offsets.toString())
                + " --zookeeper 127.0.0.1:1 --zookeeper-config "
                + missing)
            .split(" "));
  }

  @Test
  void theCoordinatorEngineTalksToNoZooKeeper() throws Exception {
    Path file = Files.createFile(folder.resolve("empty.properties"));

    demandOneLine(
        "--zookeeper-config goes with --engine zk",
        ("consumer --engine coordinator --group g --topics t --bootstrap-server 127.0.0.1:1"
                + " --zookeeper-config "
                + file)
            .split(" "));
  }
}
