package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.rebalancer.bridge.experiment.CompareResult;
import io.rebalancer.bridge.experiment.RunRecord;
import io.rebalancer.bridge.report.ObservationJson;
import io.rebalancer.bridge.runtime.UnusableFileException;
import io.rebalancer.core.observe.Observation;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.stream.Stream;

/**
 * The folder one comparison writes: {@code results.json}, and as the runs end {@code ledger.jsonl}
 * and {@code observations.jsonl}.
 */
final class ResultFolder implements AutoCloseable {

  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
  private static final ObjectMapper LINES = new ObjectMapper();

  private final Path folder;
  private final BufferedWriter ledger;
  private final BufferedWriter observations;
  private int runs;

  private ResultFolder(Path folder, BufferedWriter ledger, BufferedWriter observations) {
    this.folder = folder;
    this.ledger = ledger;
    this.observations = observations;
  }

  private static UnusableFileException cannotWrite(Path folder, IOException e) {
    return new UnusableFileException(
        "--out: cannot write to " + folder + ": " + UnusableFileException.reason(e), e);
  }

  /** Throws {@link UsageException} if the path exists and is not an empty folder. */
  static void demandUsable(Path folder) {
    try {
      if (folder.toString().isEmpty()) {
        throw new UsageException("--out: \"\" (expected: a folder)");
      }
      if (Files.exists(folder) && !isEmptyFolder(folder)) {
        throw new UsageException("--out: " + folder + " exists and is not an empty folder");
      }
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }

  /** Creates the folder where it is missing, and its files. */
  static ResultFolder create(Path folder) {
    try {
      Files.createDirectories(folder);
      return new ResultFolder(
          folder,
          Files.newBufferedWriter(folder.resolve("ledger.jsonl"), UTF_8),
          Files.newBufferedWriter(folder.resolve("observations.jsonl"), UTF_8));
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }

  private static boolean isEmptyFolder(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.findAny().isEmpty();
    }
  }

  /** {@code results/compare-DATE-TIME}, with a number behind it if that is taken. */
  static Path fresh(LocalDateTime now) {
    String name = "compare-" + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(now);
    Path folder = Path.of("results", name);
    for (int i = 2; Files.exists(folder); i++) {
      folder = Path.of("results", name + "-" + i);
    }
    return folder;
  }

  void add(RunRecord run) {
    runs++;
    ObservationJson json = new ObservationJson(LINES, runs, run.startNanos());
    try {
      for (Observation observation : run.observations()) {
        BufferedWriter file = observation instanceof Observation.Ownership ? ledger : observations;
        file.write(observation.accept(json).toString());
        file.newLine();
      }
      for (RunRecord.Mark mark : run.marks()) {
        observations.write(json.mark(mark).toString());
        observations.newLine();
      }
      ledger.flush();
      observations.flush();
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }

  void write(CompareResult result) {
    try {
      Files.writeString(folder.resolve("results.json"), json(result) + "\n");
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }

  static String json(CompareResult result) {
    try {
      return MAPPER.writeValueAsString(result);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a result that cannot be written as JSON", e);
    }
  }

  /**
   * The comparison has ended early. Without a finished run nothing is left behind; otherwise the
   * runs that have finished stay, without results.json.
   *
   * @return whether something stays
   */
  boolean abandon() {
    close();
    if (runs > 0) {
      return true;
    }
    try {
      Files.deleteIfExists(folder.resolve("ledger.jsonl"));
      Files.deleteIfExists(folder.resolve("observations.jsonl"));
      Files.deleteIfExists(folder);
      return false;
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }

  @Override
  public void close() {
    try (ledger;
        observations) {
      ledger.flush();
      observations.flush();
    } catch (IOException e) {
      throw cannotWrite(folder, e);
    }
  }
}
