package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.runtime.UnusableFileException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;

/** A file of keys and values, as the originals are configured with. */
final class PropertiesFile {

  private PropertiesFile() {}

  /** Throws {@link UsageException} naming the file. */
  static Properties read(Path file) {
    Properties properties = new Properties();
    try (Reader text = Files.newBufferedReader(file, UTF_8)) {
      properties.load(text);
    } catch (NoSuchFileException e) {
      throw new UsageException(file + ": no such file");
    } catch (CharacterCodingException | IllegalArgumentException e) {
      throw new UsageException(file + ": not a properties file: " + e.getMessage());
    } catch (IOException e) {
      throw new UsageException(file + ": " + UnusableFileException.reason(e));
    }
    return properties;
  }
}
