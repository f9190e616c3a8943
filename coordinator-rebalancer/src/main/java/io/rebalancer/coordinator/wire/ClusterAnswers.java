package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.EndpointType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/**
 * Metadata and FindCoordinator. One address is named: the coordinator's own, or while it stands by
 * for another, that one's.
 */
public final class ClusterAnswers {

  private static final String CLUSTER_ID = "rebalancer";
  private static final Endpoint NOBODY = new Endpoint(-1, "", -1);

  private final Endpoint self;
  private final Supplier<Optional<Endpoint>> holder;

  /**
   * @param holder who coordinates in this coordinator's place; empty while it does itself, or when
   *     nobody is known to. Asked at every answer, on any thread
   */
  public ClusterAnswers(Endpoint self, Supplier<Optional<Endpoint>> holder) {
    this.self = self;
    this.holder = holder;
  }

  private Endpoint named() {
    return holder.get().orElse(self);
  }

  public MetadataResponseData metadata(
      short version, MetadataRequestData request, TopicCatalog catalog) {
    Endpoint named = named();
    int leader = named.nodeId();
    MetadataResponseData answer =
        new MetadataResponseData().setClusterId(CLUSTER_ID).setControllerId(leader);
    answer
        .brokers()
        .add(
            new MetadataResponseBroker()
                .setNodeId(leader)
                .setHost(named.host())
                .setPort(named.port()));
    List<MetadataRequestTopic> asked = request.topics();
    // In v0 an empty list asks for all topics, later only null does.
    if (asked == null || (version == 0 && asked.isEmpty())) {
      catalog.topics().values().forEach(topic -> answer.topics().add(found(topic, leader)));
    } else {
      asked.forEach(topic -> answer.topics().add(answerFor(topic, version, catalog, leader)));
    }
    return answer;
  }

  /** The coordinator as the cluster's only broker; there are no controllers to be had here. */
  public DescribeClusterResponseData describeCluster(DescribeClusterRequestData request) {
    DescribeClusterResponseData answer = new DescribeClusterResponseData();
    EndpointType asked = EndpointType.fromId(request.endpointType());
    if (asked != EndpointType.BROKER) {
      Errors error =
          asked == EndpointType.CONTROLLER
              ? Errors.MISMATCHED_ENDPOINT_TYPE
              : Errors.UNSUPPORTED_ENDPOINT_TYPE;
      return answer
          .setErrorCode(error.code())
          .setErrorMessage("endpoint type " + request.endpointType() + " (expected: 1, brokers)");
    }
    Endpoint named = named();
    answer.setClusterId(CLUSTER_ID).setControllerId(named.nodeId());
    answer
        .brokers()
        .add(
            new DescribeClusterBroker()
                .setBrokerId(named.nodeId())
                .setHost(named.host())
                .setPort(named.port()));
    return answer;
  }

  /** See {@link TopicPages}. */
  public DescribeTopicPartitionsResponseData describeTopics(
      DescribeTopicPartitionsRequestData request, TopicCatalog catalog) {
    return TopicPages.page(request, catalog, named().nodeId());
  }

  private MetadataResponseTopic answerFor(
      MetadataRequestTopic asked, short version, TopicCatalog catalog, int leader) {
    if (asked.name() != null) {
      return catalog
          .named(asked.name())
          .map(topic -> found(topic, leader))
          .orElseGet(
              () ->
                  new MetadataResponseTopic()
                      .setName(asked.name())
                      .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
    }
    return catalog
        .withId(javaId(asked.topicId()))
        .map(topic -> found(topic, leader))
        .orElseGet(
            () ->
                new MetadataResponseTopic()
                    .setName(version >= 12 ? null : "")
                    .setTopicId(asked.topicId())
                    .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code()));
  }

  private static MetadataResponseTopic found(TopicInfo topic, int leader) {
    MetadataResponseTopic answer =
        new MetadataResponseTopic()
            .setName(topic.name())
            .setTopicId(kafkaId(topic.id()))
            .setIsInternal(Topic.isInternal(topic.name()));
    List<Integer> replicas = List.of(leader);
    topic
        .partitions()
        .forEach(
            partition ->
                answer
                    .partitions()
                    .add(
                        new MetadataResponsePartition()
                            .setPartitionIndex(partition)
                            .setLeaderId(leader)
                            .setLeaderEpoch(0)
                            .setReplicaNodes(replicas)
                            .setIsrNodes(replicas)));
    return answer;
  }

  /**
   * Before v4 one key per request, from then on many (KIP-699).
   *
   * @param coordinating whether this coordinator is one at the moment
   */
  public FindCoordinatorResponseData findCoordinator(
      short version, FindCoordinatorRequestData request, boolean coordinating) {
    FindCoordinatorResponseData answer = new FindCoordinatorResponseData();
    boolean group = version == 0 || request.keyType() == CoordinatorType.GROUP.id();
    Optional<Endpoint> coordinator = coordinating ? Optional.of(self) : holder.get();
    Endpoint at = group ? coordinator.orElse(NOBODY) : NOBODY;
    boolean served = at != NOBODY;
    // Transactions and share groups have no coordinator here, and never will have by waiting.
    Errors error =
        served ? Errors.NONE : group ? Errors.COORDINATOR_NOT_AVAILABLE : Errors.INVALID_REQUEST;
    // Kafka has the error's text in old versions, and an empty one since.
    String message =
        group ? (version < 4 ? error.message() : "") : "only groups are coordinated here";
    if (version < 4) {
      return answer
          .setErrorCode(error.code())
          .setErrorMessage(message)
          .setNodeId(at.nodeId())
          .setHost(at.host())
          .setPort(at.port());
    }
    for (String key : request.coordinatorKeys()) {
      answer
          .coordinators()
          .add(
              new Coordinator()
                  .setKey(key)
                  .setErrorCode(error.code())
                  .setErrorMessage(message)
                  .setNodeId(at.nodeId())
                  .setHost(at.host())
                  .setPort(at.port()));
    }
    return answer;
  }

  static Uuid kafkaId(UUID id) {
    return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  static UUID javaId(Uuid id) {
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  static Optional<TopicInfo> byId(TopicCatalog catalog, Uuid id) {
    return catalog.withId(javaId(id));
  }
}
