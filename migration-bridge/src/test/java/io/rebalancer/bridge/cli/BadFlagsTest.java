package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A flag or value that cannot be used is named in one line, before anything is started. */
class BadFlagsTest {

  @Test
  void aBadValueInAFileIsNamedByItsKey(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("c.properties"), "rebalance.backoff.ms=soon\n");

    demandOneLine(
        "consumer --engine zk --group g --topics t --zookeeper a:1 --config " + file,
        "rebalance.backoff.ms: \"soon\" (expected: a number of 32 bits)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nowhere", "h:99999"})
  void anEnsembleInAFileIsReadAsTheFlagIs(String ensemble, @TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("c.properties"), "zookeeper.connect=" + ensemble);

    demandOneLine(
        "coordinator --topics t:1 --config " + file,
        file
            + ": zookeeper.connect: \""
            + ensemble
            + "\" (expected: HOST:PORT[,HOST:PORT...][/chroot])");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          compare --nonsense              ~ Unknown option: '--nonsense' (see rebalancer compare --help)
          compare --members many          ~ Invalid value for option '--members': 'many' is not an int (see rebalancer compare --help)
          compare --members 0             ~ --members: 0 (expected: at least 1)
          compare --members -3            ~ --members: -3 (expected: at least 1)
          compare --scenario join,jump    ~ --scenario: "jump" (expected: one of join, leave, crash, broker-add, broker-restart, partition-add, rolling-restart, all)
          compare --engine none           ~ --engine: "none" (expected: one of zk, coordinator, both)
          compare --profile 2.0           ~ --profile: "2.0" (expected: one of documented, 1.1, 0.8, 0.7)
          compare --exclusive             ~ --exclusive goes with --zookeeper
          compare --members 3 --restarts 4 ~ --restarts: 4 (expected: 1 to 3)
          compare --partitions 60001      ~ --partitions: 60001 (expected: 1 to 60000)
          coordinator --zookeeper a:1 --listen a:1 --advertised b:0 ~ --advertised: "b:0" (expected: a port above 0)
          compare --session-ms 2000       ~ --session-ms: 2000 (expected: more than --heartbeat-ms, 3000)
          compare --zookeeper nowhere     ~ Invalid value for option '--zookeeper': "nowhere" (expected: HOST:PORT[,HOST:PORT...][/chroot]) (see rebalancer compare --help)
          compare --output xml            ~ Invalid value for option '--output': expected one of [table, json] (case-insensitive) but was 'xml' (see rebalancer compare --help)
          topics --zookeeper a:1          ~ Missing required argument (specify one of these): (--create | --list | --alter | --delete) (see rebalancer topics --help)
          topics --zookeeper a:1 --create ~ --topic is missing
          topics --zookeeper a:1 --create --topic a/b --partitions 1 ~ --topic: "a/b" (expected: 1 to 249 ASCII alphanumerics, '.', '_' and '-')
          topics --zookeeper a:1 --create --topic t --partitions 0   ~ --partitions: 0 (expected: 1 to 60000)
          consumer --engine zk --group g --topics t --zookeeper a:1 --config no.properties ~ no.properties: no such file
          consumer --engine zk --group g --topics t ~ --zookeeper is missing
          consumer --engine zk --group g --topics t:2,t:3 --zookeeper a:1 ~ --topics: t is given twice
          consumer --engine zk --group g --topics t --zookeeper a:1 --strategy sticky ~ partition.assignment.strategy: "sticky" (expected: range or roundrobin)
          consumer --engine zk --group g --blacklist ( --zookeeper a:1 ~ topic filter: "(" (expected: a regular expression)
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --strict ~ --zookeeper, --config, --strict and --profile go with --engine zk
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --strategy stcky ~ partition.assignment.strategy: stcky (expected: one of cooperative-sticky, range, roundrobin, sticky, uniform, weighted)
          consumer --engine zk --group g --topics t --zookeeper a:1 --group-instance-id i ~ --bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and --metadata-max-age-ms go with --engine coordinator
          consumer --engine zk --group g --topics t --zookeeper a:1 --scheduled-rebalance-max-delay-ms 1 ~ --bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and --metadata-max-age-ms go with --engine coordinator
          consumer --engine zk --group g --topics t --zookeeper a:1 --max-poll-interval-ms 1 ~ --bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and --metadata-max-age-ms go with --engine coordinator
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --group-instance-id a/b ~ group.instance.id: "a/b" (expected: ASCII alphanumerics, '.', '_' and '-', at most 255 of them; '/' at position 2)
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --scheduled-rebalance-max-delay-ms 9 ~ scheduled.rebalance.max.delay.ms: 9 (expected: 0 with partition.assignment.strategy range, which cannot carry a delay; uniform and weighted can)
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --max-poll-interval-ms 0 ~ max.poll.interval.ms: 0 (expected: 1 to 2147483647)
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --max-poll-interval-ms soon ~ Invalid value for option '--max-poll-interval-ms': 'soon' is not an int (see rebalancer consumer --help)
          consumer --engine zk --group g --whitelist t --zookeeper a:1 --metadata-max-age-ms 1 ~ --bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and --metadata-max-age-ms go with --engine coordinator
          consumer --engine coordinator --group g --blacklist t --bootstrap-server a:1 --metadata-max-age-ms 0 ~ metadata.max.age.ms: 0 (expected: 1 to 2147483647)
          consumer --engine coordinator --group g --whitelist ( --bootstrap-server a:1 ~ topic filter: "(" (expected: a regular expression)
          groups --zookeeper a:1 --delete ~ --group is missing
          groups --zookeeper a:1 --delete --group g --state ~ --offsets, --members and --state go with --describe
          groups --zookeeper a:1 --list --bootstrap-server a:1 ~ --bootstrap-server goes with --describe --offsets
          groups --zookeeper a:1 --describe --group g --members --bootstrap-server a:1 ~ --bootstrap-server goes with --describe --offsets
          groups --zookeeper a:1 --describe --group g --bootstrap-server a ~ Invalid value for option '--bootstrap-server': "a" (expected: HOST:PORT[,HOST:PORT...]) (see rebalancer groups --help)
          offsets                         ~ no action given (expected: export, import or reset) (see rebalancer offsets --help)
          offsets import --zookeeper a:1 --group g --input-file /no/file ~ --input-file: /no/file does not exist
          offsets import --zookeeper a:1 --group g --input-file f --force ~ --force goes with --execute
          offsets reset --zookeeper a:1 --group g --to-offset 1 ~ Missing required argument (specify one of these): (--topic=TOPIC[:P,P...] [--topic=TOPIC[:P,P...]]... | --all-topics) (see rebalancer offsets reset --help)
          offsets reset --zookeeper a:1 --group g --to-offset -1 --all-topics ~ --to-offset: -1 (expected: at least 0)
          offsets reset --zookeeper a:1 --group g --to-latest --all-topics ~ --to-latest needs --bootstrap-server
          offsets reset --zookeeper a:1 --group g --delete --topic t:x ~ Invalid value for option '--topic' (TOPIC[:P,P...]): "t:x" (expected: TOPIC or TOPIC:P,P...) (see rebalancer offsets reset --help)
          coordinator --zookeeper a:1 --data-dir d ~ --data-dir goes with a ZooKeeper of its own, without --zookeeper
          coordinator --data-dir= ~ --data-dir: "" (expected: a folder)
          coordinator --listen 0.0.0.0:0 ~ advertised.listeners: that of listeners, 0.0.0.0 (expected: a HOST:PORT that clients can connect to)
          consumer --engine coordinator --group g --topics t --bootstrap-server a:1 --zookeeper a:1 ~ --zookeeper, --config, --strict and --profile go with --engine zk
          consumer --engine zk --group g --topics t --bootstrap-server a:1 --zookeeper a:1 ~ --bootstrap-server, --group-instance-id, --scheduled-rebalance-max-delay-ms, --max-poll-interval-ms and --metadata-max-age-ms go with --engine coordinator
          coordinator --config src ~ src: Is a directory
          coordinator --topics t:0 ~ Invalid value for option '--topics': "t:0" (expected: NAME:N, with N from 1 to 60000) (see rebalancer coordinator --help)
          coordinator --topics t:1,t:2 ~ Invalid value for option '--topics': "t:2" (expected: each topic once) (see rebalancer coordinator --help)
          coordinator --config no.properties ~ no.properties: no such file
          coordinator --node-id 3 ~ node.id: 3 (expected: >= 1000000000)
          coordinator --zookeeper a:1 --listen here ~ Invalid value for option '--listen': "here" (expected: HOST:PORT) (see rebalancer coordinator --help)
          """)
  void isNamedInOneLine(String arguments, String message) {
    demandOneLine(arguments, message);
  }

  private static void demandOneLine(String arguments, String message) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int exitCode =
        Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments.split(" "));

    assertThat(err.toString()).isEqualTo("rebalancer: " + message + System.lineSeparator());
    assertThat(out.toString()).isEmpty();
    assertThat(exitCode).isEqualTo(2);
  }
}
