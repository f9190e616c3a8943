package io.rebalancer.it.differential;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
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
    text = ERROR.matcher(text).replaceAll(m -> Errors.forCode(Short.parseShort(m.group(1))).name());
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
  private static void sort(ApiMessage answer) {
    if (answer instanceof JoinGroupResponseData join) {
      join.members().sort(Comparator.comparing(m -> m.memberId()));
    } else if (answer instanceof OffsetCommitResponseData commit) {
      commit.topics().sort(Comparator.comparing(t -> t.name()));
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
                g.topics().sort(Comparator.comparing(t -> t.name() + t.topicId()));
                g.topics()
                    .forEach(
                        t -> t.partitions().sort(Comparator.comparing(p -> p.partitionIndex())));
              });
    } else if (answer instanceof DescribeGroupsResponseData describe) {
      describe.groups().forEach(g -> g.members().sort(Comparator.comparing(m -> m.memberId())));
    } else if (answer instanceof ListGroupsResponseData list) {
      list.groups().sort(Comparator.comparing(g -> g.groupId()));
    }
  }

  private static void sortPartitions(
      List<OffsetFetchResponseData.OffsetFetchResponsePartition> partitions) {
    partitions.sort(Comparator.comparing(p -> p.partitionIndex()));
  }
}
