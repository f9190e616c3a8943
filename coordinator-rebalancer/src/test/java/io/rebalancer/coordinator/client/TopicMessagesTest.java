package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.junit.jupiter.api.Test;

/** What is made of Metadata's answers. */
class TopicMessagesTest {

  @Test
  void racksOfPartitionsAreThoseOfTheirReplicas() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.brokers().add(new MetadataResponseBroker().setNodeId(1).setRack("r1"));
    answer.brokers().add(new MetadataResponseBroker().setNodeId(2).setRack("r2"));
    answer.brokers().add(new MetadataResponseBroker().setNodeId(3));
    answer
        .topics()
        .add(
            new MetadataResponseTopic()
                .setName("t")
                .setPartitions(
                    List.of(partition(2, 3, 9), partition(0, 1, 2), partition(1, 2, 3))));

    assertThat(TopicMessages.topicsKnown(1, answer).topics())
        .isEqualTo(
            new KnownTopics(
                Map.of("t", PartitionSet.range(0, 3)),
                Map.of("t", List.of(Set.of("r1", "r2"), Set.of("r2"), Set.of()))));
  }

  @Test
  void serversWithoutRacksGivePartitionsNone() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.brokers().add(new MetadataResponseBroker().setNodeId(1));
    answer
        .topics()
        .add(new MetadataResponseTopic().setName("t").setPartitions(List.of(partition(0, 1))));

    assertThat(TopicMessages.topicsKnown(1, answer).topics())
        .isEqualTo(KnownTopics.withoutRacks(Map.of("t", PartitionSet.of(0))));
  }

  @Test
  void aPatternMayMatchWhatIsThereAndNotInternal() {
    MetadataResponseData answer = new MetadataResponseData();
    answer.topics().add(new MetadataResponseTopic().setName("t"));
    answer.topics().add(new MetadataResponseTopic().setName("__own").setIsInternal(true));
    answer.topics().add(new MetadataResponseTopic().setName("gone").setErrorCode((short) 3));

    assertThat(TopicMessages.allTopics().topics()).as("null asks for all").isNull();
    assertThat(TopicMessages.topicsListed(4, answer, true))
        .isEqualTo(new MemberEvent.TopicsListed(4, Set.of("t")));
    assertThat(TopicMessages.topicsListed(4, answer, false))
        .isEqualTo(new MemberEvent.TopicsListed(4, Set.of("t", "__own")));
  }

  @Test
  void anAnswerThatFailedIsNotAListOfNoTopics() {
    MetadataResponseData answer = new MetadataResponseData().setErrorCode((short) 129);

    assertThatThrownBy(() -> TopicMessages.topicsListed(4, answer, true))
        .hasMessage("topics not listed: REBOOTSTRAP_REQUIRED (129)");
  }

  private static MetadataResponsePartition partition(int number, Integer... replicas) {
    return new MetadataResponsePartition()
        .setPartitionIndex(number)
        .setReplicaNodes(Arrays.asList(replicas));
  }
}
