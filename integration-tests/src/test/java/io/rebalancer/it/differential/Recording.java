package io.rebalancer.it.differential;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a broker of Kafka 4.4.0 answered to some of the scripts, so that ours can be held against it
 * without one: in each state the newest versions, whatever is wrong with the request.
 */
final class Recording {

  private static final String FILE = "differential/answers-4.4.0.txt";
  private static final String HEADING = "= ";

  private static final Pattern RECORDED =
      Pattern.compile(
          "(Heartbeat v4|SyncGroup v[35]|JoinGroup v9|LeaveGroup v5|OffsetCommit v(9|10)|ListGroups v5"
              + "|DescribeGroups v6|DeleteGroups v3|OffsetDelete v0|ConsumerGroupDescribe v1),"
              + " (no group|Stable, two members|Preparing, a new member|Stable, a static follower):"
              + " .*|OffsetFetch v([179]|10), (no group|positions): .*"
              + "|.*, positions: .*|FindCoordinator .*|DescribeCluster .*|DescribeTopicPartitions .*"
              + "|timers: (an id handed out|nobody syncs|a static (member|follower)'s session)"
              + "|gathering: .*");

  private Recording() {}

  /** Without those where we deviate. */
  static List<Script> scripts() {
    return Stream.concat(Scripts.all().stream(), GatheringScripts.all().stream())
        .filter(script -> RECORDED.matcher(script.name()).matches())
        .filter(script -> Deviations.of(script.name()).isEmpty())
        .toList();
  }

  static void write(Map<String, List<String>> answers) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Script script : scripts()) {
      text.append(HEADING).append(script.name()).append('\n');
      answers.get(script.name()).forEach(line -> text.append(line).append('\n'));
    }
    Files.writeString(
        Files.createDirectories(Path.of("src/test/resources/differential"))
            .resolve(Path.of(FILE).getFileName()),
        text,
        UTF_8);
  }

  static Map<String, List<String>> read() throws IOException {
    Map<String, List<String>> answers = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    try (InputStream file = Recording.class.getClassLoader().getResourceAsStream(FILE)) {
      for (String line : new String(file.readAllBytes(), UTF_8).lines().toList()) {
        if (line.startsWith(HEADING)) {
          lines = new ArrayList<>();
          answers.put(line.substring(HEADING.length()), lines);
        } else {
          lines.add(line);
        }
      }
    }
    return answers;
  }
}
