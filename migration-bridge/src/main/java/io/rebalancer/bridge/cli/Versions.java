package io.rebalancer.bridge.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.IVersionProvider;

/** The versions this was built with. */
final class Versions implements IVersionProvider {

  static SortedMap<String, String> all() {
    Properties properties = new Properties();
    try (InputStream in = Versions.class.getResourceAsStream("/rebalancer-versions.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    SortedMap<String, String> versions = new TreeMap<>();
    properties.stringPropertyNames().forEach(n -> versions.put(n, properties.getProperty(n)));
    return versions;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"rebalancer " + all().get("rebalancer")};
  }
}
