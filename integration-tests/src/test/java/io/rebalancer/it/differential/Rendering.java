package io.rebalancer.it.differential;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** An answer as text, without what differs from one coordinator to the next by its nature. */
final class Rendering {

  private static final Pattern ERROR = Pattern.compile("errorCode=(-?\\d+)");
  private static final Pattern BYTES = Pattern.compile("=\\[(-?\\d+(?:, -?\\d+)*)]");

  private final Target target;
  private final Map<String, String> names = new TreeMap<>(Comparator.reverseOrder());

  Rendering(Target target) {
    this.target = target;
    target.topicIds().forEach((topic, id) -> names.put(id, "id of " + topic));
  }

  /** From now on {@code text} is shown as {@code name}. */
  void name(String text, String name) {
    names.put(text, name);
  }

  String of(ApiMessage answer) {
    sort(answer);
    String text = answer.toString();
    text =
        text.replaceAll("throttleTimeMs=\\d+(, )?", "")
            .replaceAll("\\b[A-Z]\\w*\\(", "(")
            .replaceAll("(errorMessage|clientHost)='[^']+'", "$1=<some>")
            .replaceAll("nodeId=" + target.nodeId() + "\\b", "nodeId=<its>")
            .replaceAll("port=" + target.port() + "\\b", "port=<its>")
            .replaceAll("host='" + Pattern.quote(target.host()) + "'", "host=<its>");
    // Ours never tells them, and Kafka always does.
    text = text.replaceAll("topicAuthorizedOperations=-?\\d+", "topicAuthorizedOperations=<some>");
    text = ERROR.matcher(text).replaceAll(m -> Errors.forCode(Short.parseShort(m.group(1))).name());
    text =
        text.replaceAll("(leaderId|controllerId|brokerId)=" + target.nodeId() + "\\b", "$1=<its>")
            .replaceAll("Nodes=\\[" + target.nodeId() + "]", "Nodes=[<its>]")
            .replaceAll("clusterId='[^']+'", "clusterId=<some>");
    return BYTES
        .matcher(text)
        .replaceAll(m -> Matcher.quoteReplacement("=" + Bytes.name(m.group(1))));
  }

  /** With the names of all that has one by now. */
  String named(String line) {
    String text = line;
    for (Map.Entry<String, String> each : names.entrySet()) {
      text = text.replace(each.getKey(), "<" + each.getValue() + ">");
    }
    return text;
  }

  /** Orders that the protocol leaves open. */
  private void sort(ApiMessage answer) {
    if (answer instanceof JoinGroupResponseData join) {
      join.members().sort(Comparator.comparing(m -> m.memberId()));
    } else if (answer instanceof OffsetCommitResponseData commit) {
      commit.topics().sort(Comparator.comparing(t -> t.name() + named(t.topicId().toString())));
      commit
          .topics()
          .forEach(t -> t.partitions().sort(Comparator.comparing(p -> p.partitionIndex())));
    } else if (answer instanceof OffsetFetchResponseData fetch) {
      fetch.topics().sort(Comparator.comparing(t -> t.name()));
      fetch.topics().forEach(t -> sortPartitions(t.partitions()));
      fetch
          .groups()
          .forEach(
              g -> {
                g.topics()
                    .sort(Comparator.comparing(t -> t.name() + named(t.topicId().toString())));
                g.topics()
                    .forEach(
                        t -> t.partitions().sort(Comparator.comparing(p -> p.partitionIndex())));
              });
    } else if (answer instanceof DescribeGroupsResponseData describe) {
      describe.groups().forEach(g -> g.members().sort(Comparator.comparing(m -> m.memberId())));
    } else if (answer instanceof ListGroupsResponseData list) {
      list.groups().sort(Comparator.comparing(g -> g.groupId()));
    } else if (answer instanceof DeleteGroupsResponseData deleted) {
      deleted.results().sort(Comparator.comparing(r -> r.groupId()));
    } else if (answer instanceof OffsetDeleteResponseData deleted) {
      deleted.topics().sort(Comparator.comparing(t -> t.name()));
      deleted
          .topics()
          .forEach(t -> t.partitions().sort(Comparator.comparing(p -> p.partitionIndex())));
    } else if (answer instanceof DescribeTopicPartitionsResponseData described) {
      described.topics().sort(Comparator.comparing(t -> t.name()));
    }
  }

  private static void sortPartitions(
      List<OffsetFetchResponseData.OffsetFetchResponsePartition> partitions) {
    partitions.sort(Comparator.comparing(p -> p.partitionIndex()));
  }
}
