package io.rebalancer.coordinator;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What clients of kafka-clients 4.4.0 say that ask for what is not served here. */
class NotServedIT {

  private static Stage stage;

  @BeforeAll
  static void start() throws Exception {
    stage = Stage.withCoordinator();
    stage.topic("t", 1);
  }

  @AfterAll
  static void stop() throws Exception {
    stage.close();
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> extra) {
    Map<String, Object> settings = new HashMap<>(extra);
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, stage.bootstrap());
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  @Test
  void aConsumerOfTheNewProtocolIsToldToUseTheClassicOne() {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stage.bootstrap(),
                ConsumerConfig.GROUP_ID_CONFIG, "new",
                ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.subscribe(List.of("t"));

      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 200; i++) {
                  consumer.poll(Duration.ofMillis(50));
                }
              })
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessage(
              "The cluster does not support the new CONSUMER group protocol. Set"
                  + " group.protocol=classic on the consumer configs to revert to the CLASSIC"
                  + " protocol until the cluster is upgraded.");
    }
  }

  @Test
  void aShareConsumerSaysThatShareGroupsAreNotServed() {
    try (KafkaShareConsumer<byte[], byte[]> consumer =
        new KafkaShareConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                stage.bootstrap(),
                ConsumerConfig.GROUP_ID_CONFIG,
                "share"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.subscribe(List.of("t"));

      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 200; i++) {
                  consumer.poll(Duration.ofMillis(50));
                }
              })
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessageStartingWith(
              "The cluster does not support the share group protocol using ShareGroupHeartbeat API");
    }
  }

  @Test
  void aProducerGetsNoIdAndSendsNothing() {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      assertThatThrownBy(
              () -> producer.send(new ProducerRecord<>("t", new byte[1])).get(20, SECONDS))
          .cause()
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessage("The node does not support INIT_PRODUCER_ID");
    }
  }

  @Test
  void aProducerWithoutIdempotenceSendsNothingEither() {
    try (KafkaProducer<byte[], byte[]> producer =
        producer(Map.of(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false))) {
      assertThatThrownBy(
              () -> producer.send(new ProducerRecord<>("t", new byte[1])).get(20, SECONDS))
          .cause()
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessage("The version of API is not supported.");
    }
  }

  @Test
  void aTransactionalProducerFindsNoCoordinator() {
    try (KafkaProducer<byte[], byte[]> producer =
        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "x"))) {
      assertThatThrownBy(producer::initTransactions)
          .isInstanceOf(KafkaException.class)
          .hasMessage(
              "Could not find a coordinator with type TRANSACTION with key x due to unexpected"
                  + " error: only groups are coordinated here");
    }
  }
}
