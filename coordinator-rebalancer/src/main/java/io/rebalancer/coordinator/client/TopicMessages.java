package io.rebalancer.coordinator.client;

import static java.util.stream.Collectors.toSet;

import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.Errors;

/** What a member asks of topics, and what Metadata answers. */
final class TopicMessages {

  private TopicMessages() {}

  static MetadataRequestData allTopics() {
    return new MetadataRequestData().setTopics(null).setAllowAutoTopicCreation(false);
  }

  /**
   * Without those that are about to come or go, which have an error of their own.
   *
   * @param excludeInternal whether without those, too, that the server calls internal
   * @throws IllegalStateException for an answer that says nothing of topics
   */
  static MemberEvent.TopicsListed topicsListed(
      int attempt, MetadataResponseData answer, boolean excludeInternal) {
    Errors error = Errors.forCode(answer.errorCode());
    if (error != Errors.NONE) {
      throw new IllegalStateException(
          "topics not listed: " + error.name() + " (" + error.code() + ")");
    }
    return new MemberEvent.TopicsListed(
        attempt,
        answer.topics().stream()
            .filter(topic -> topic.errorCode() == Errors.NONE.code())
            .filter(topic -> !(topic.isInternal() && excludeInternal))
            .map(MetadataResponseData.MetadataResponseTopic::name)
            .collect(toSet()));
  }

  static MetadataRequestData topics(SortedSet<String> names) {
    return new MetadataRequestData()
        .setTopics(
            names.stream()
                .map(name -> new MetadataRequestData.MetadataRequestTopic().setName(name))
                .toList())
        .setAllowAutoTopicCreation(false);
  }

  /** A topic that does not exist comes without partitions. */
  static MemberEvent.TopicsKnown topicsKnown(int attempt, MetadataResponseData answer) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    answer
        .topics()
        .forEach(
            topic ->
                topics.put(
                    topic.name(),
                    PartitionSet.copyOf(
                        topic.partitions().stream()
                            .map(MetadataResponseData.MetadataResponsePartition::partitionIndex)
                            .toList())));
    return new MemberEvent.TopicsKnown(attempt, new KnownTopics(topics, racks(answer)));
  }

  private static Map<String, List<Set<String>>> racks(MetadataResponseData answer) {
    Map<Integer, String> ofServers = new HashMap<>();
    answer
        .brokers()
        .forEach(
            server -> {
              if (server.rack() != null) {
                ofServers.put(server.nodeId(), server.rack());
              }
            });
    Map<String, List<Set<String>>> racks = new HashMap<>();
    if (!ofServers.isEmpty()) {
      answer.topics().forEach(topic -> racks.put(topic.name(), racks(topic, ofServers)));
    }
    return racks;
  }

  private static List<Set<String>> racks(
      MetadataResponseData.MetadataResponseTopic topic, Map<Integer, String> ofServers) {
    List<Set<String>> racks = new ArrayList<>();
    topic.partitions().stream()
        .sorted(
            Comparator.comparing(MetadataResponseData.MetadataResponsePartition::partitionIndex))
        .forEach(
            partition -> {
              while (racks.size() < partition.partitionIndex()) {
                racks.add(Set.of());
              }
              racks.add(
                  partition.replicaNodes().stream()
                      .filter(ofServers::containsKey)
                      .map(ofServers::get)
                      .collect(toSet()));
            });
    return racks;
  }
}
