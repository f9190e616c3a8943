package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Main class of a JVM in which Kafka's original consumers run, with one release's class path and
 * nothing of ours but this class. Arguments: {@code key=value} configuration for all its consumers.
 * Commands on standard input, a line each:
 *
 * <ul>
 *   <li>{@code join NAME TOPIC=STREAMS...}: a consumer of its own connector, {@code consumer.id}
 *       NAME
 *   <li>{@code filter NAME whitelist|blacklist STREAMS REGEX}: the same with a filter
 *   <li>{@code consume NAME COUNT}: takes so many records in all from its streams
 *   <li>{@code commit NAME}: commits what that connector has consumed
 *   <li>{@code leave NAME}: shuts that connector down
 * </ul>
 *
 * <p>Answers {@code ok NAME} or {@code failed NAME REASON} when a command is done, on standard
 * output, where also the consumers' own log goes, each line of it with {@code log} in front. The
 * end of the input shuts all connectors down and ends the JVM.
 *
 * <p>By reflection, because no Kafka of that age may be on the class path of this project's code.
 */
public final class OldConsumers {

  private final Properties common;
  private final Map<String, Object> connectors = new ConcurrentHashMap<>();
  private final Map<String, List<Iterator<?>>> streams = new ConcurrentHashMap<>();

  private OldConsumers(Properties common) {
    this.common = common;
  }

  public static void main(String[] args) throws IOException {
    Properties common = new Properties();
    for (String arg : args) {
      int cut = arg.indexOf('=');
      common.setProperty(arg.substring(0, cut), arg.substring(cut + 1));
    }
    OldConsumers consumers = new OldConsumers(common);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    say("ready");
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      // Joining returns after the first rebalance: consumers join and leave side by side.
      new Thread(() -> consumers.run(words), "command " + line).start();
    }
    consumers.connectors.keySet().parallelStream()
        .forEach(name -> consumers.run(new String[] {"leave", name}));
    System.exit(0);
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private void run(String[] words) {
    String name = words[1];
    try {
      switch (words[0]) {
        case "join" -> subscribe(connect(name), words);
        case "filter" -> subscribeFilter(connect(name), words);
        case "consume" -> consume(name, Integer.parseInt(words[2]));
        case "commit" -> call(connectors.get(name), "commitOffsets");
        case "leave" -> call(connectors.remove(name), "shutdown");
        default -> throw new IllegalArgumentException(words[0]);
      }
      say("ok " + name);
    } catch (InvocationTargetException e) {
      say("failed " + name + " " + e.getCause());
    } catch (ReflectiveOperationException | RuntimeException e) {
      say("failed " + name + " " + e);
    }
  }

  private Object connect(String name) throws ReflectiveOperationException {
    Properties properties = new Properties();
    properties.putAll(common);
    properties.setProperty("consumer.id", name);
    Class<?> configClass = Class.forName("kafka.consumer.ConsumerConfig");
    Object config = configClass.getConstructor(Properties.class).newInstance(properties);
    Object connector =
        Class.forName("kafka.consumer.Consumer")
            .getMethod("createJavaConsumerConnector", configClass)
            .invoke(null, config);
    connectors.put(name, connector);
    return connector;
  }

  private void subscribe(Object connector, String[] words) throws ReflectiveOperationException {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 2; i < words.length; i++) {
      String[] topic = words[i].split("=");
      counts.put(topic[0], Integer.valueOf(topic[1]));
    }
    Object made = api().getMethod("createMessageStreams", Map.class).invoke(connector, counts);
    List<Iterator<?>> iterators = new ArrayList<>();
    for (Object ofTopic : ((Map<?, ?>) made).values()) {
      for (Object stream : (List<?>) ofTopic) {
        iterators.add((Iterator<?>) stream.getClass().getMethod("iterator").invoke(stream));
      }
    }
    streams.put(words[1], iterators);
  }

  /** With {@code consumer.timeout.ms}, after which an empty stream is left for the next. */
  private void consume(String name, int count) {
    int taken = 0;
    while (taken < count) {
      for (Iterator<?> stream : streams.get(name)) {
        try {
          while (taken < count && stream.hasNext()) {
            stream.next();
            taken++;
          }
        } catch (RuntimeException e) {
          if (!e.getClass().getSimpleName().equals("ConsumerTimeoutException")) {
            throw e;
          }
        }
      }
    }
  }

  private static void subscribeFilter(Object connector, String[] words)
      throws ReflectiveOperationException {
    String kind = words[2].equals("whitelist") ? "Whitelist" : "Blacklist";
    Object filter =
        Class.forName("kafka.consumer." + kind).getConstructor(String.class).newInstance(words[4]);
    api()
        .getMethod(
            "createMessageStreamsByFilter", Class.forName("kafka.consumer.TopicFilter"), int.class)
        .invoke(connector, filter, Integer.parseInt(words[3]));
  }

  private static void call(Object connector, String method) throws ReflectiveOperationException {
    api().getMethod(method).invoke(connector);
  }

  private static Class<?> api() throws ClassNotFoundException {
    return Class.forName("kafka.javaapi.consumer.ConsumerConnector");
  }
}
