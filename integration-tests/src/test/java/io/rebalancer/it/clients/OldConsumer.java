package io.rebalancer.it.clients;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A consumer in a JVM of its own, of whatever release of kafka-clients is on its class path.
 * Arguments: topic, settings as KEY=VALUE. Prints its partitions whenever they change; commits what
 * it has on every line it reads, and says so; leaves at the end of its input.
 */
final class OldConsumer {

  private OldConsumer() {}

  public static void main(String[] args) throws Exception {
    Properties settings = new Properties();
    for (int i = 1; i < args.length; i++) {
      String[] setting = args[i].split("=", 2);
      settings.put(setting[0], setting[1]);
    }
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(args[0]));
      String told = "";
      while (true) {
        consumer.poll(Duration.ofMillis(50));
        String share =
            consumer.assignment().stream()
                .map(TopicPartition::partition)
                .collect(Collectors.toCollection(TreeSet::new))
                .toString();
        if (!share.equals(told)) {
          System.out.println("share " + share);
          told = share;
        }
        if (System.in.available() > 0) {
          int read = System.in.read();
          if (read == 'q') {
            break;
          }
          consumer.commitSync(
              consumer.assignment().stream()
                  .collect(Collectors.toMap(p -> p, p -> new OffsetAndMetadata(7, "note"))));
          TopicPartition any = consumer.assignment().iterator().next();
          System.out.println(
              "committed " + consumer.committed(consumer.assignment()).get(any).offset());
        }
      }
    }
    System.out.println("left");
  }
}
