package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.rebalancer.core.model.TopicPartition;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What four original consumers of these names settled on, recorded once; profile {@code real} runs
 * them again and compares. A line a cell: its name, then {@code PARTITION=THREAD} for each.
 */
final class ReferenceOwners {

  /** The members' names. */
  static final List<String> NAMES = List.of("c1", "c2", "c3", "c4");

  private static final String RESOURCE = "peers/reference-owners.txt";

  private final SortedMap<String, SortedMap<TopicPartition, String>> byCell = new TreeMap<>();

  static ReferenceOwners recorded() {
    ReferenceOwners owners = new ReferenceOwners();
    try (InputStream in = ReferenceOwners.class.getClassLoader().getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + ": missing");
      }
      new String(in.readAllBytes(), UTF_8).lines().forEach(owners::parse);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return owners;
  }

  private void parse(String line) {
    String[] words = line.split(" ");
    SortedMap<TopicPartition, String> owners = new TreeMap<>();
    for (int i = 1; i < words.length; i++) {
      int cut = words[i].indexOf('=');
      int dash = words[i].lastIndexOf('-', cut);
      owners.put(
          new TopicPartition(
              words[i].substring(0, dash), Integer.parseInt(words[i].substring(dash + 1, cut))),
          words[i].substring(cut + 1));
    }
    byCell.put(words[0], owners);
  }

  SortedMap<TopicPartition, String> of(Cell cell) {
    SortedMap<TopicPartition, String> owners = byCell.get(cell.name());
    if (owners == null) {
      throw new IllegalStateException(RESOURCE + ": no line for " + cell);
    }
    return owners;
  }

  void put(Cell cell, SortedMap<TopicPartition, String> owners) {
    byCell.put(cell.name(), owners);
  }

  void write(Path sources) throws IOException {
    StringBuilder text = new StringBuilder();
    byCell.forEach(
        (cell, owners) ->
            text.append(cell)
                .append(' ')
                .append(
                    owners.entrySet().stream()
                        .map(
                            owner ->
                                owner.getKey().topic()
                                    + "-"
                                    + owner.getKey().partition()
                                    + "="
                                    + owner.getValue())
                        .collect(joining(" ")))
                .append('\n'));
    Files.writeString(sources.resolve(RESOURCE), text);
  }
}
