package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.runtime.Machine;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.SortedMap;
import java.util.TreeMap;

/** The versions and the machine of a run, for its result. */
final class Environment {

  private Environment() {}

  static SortedMap<String, Object> describe(String zookeeperServer, Clock clock) {
    SortedMap<String, Object> facts = new TreeMap<>();
    facts.put("startedAt", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("java", Machine.java());
    facts.put("os", Machine.operatingSystem());
    facts.put("cores", Machine.cores());
    facts.put("memoryMiB", Machine.memoryMiB());
    facts.put("loadAverage", Machine.loadAverage());
    facts.put("zookeeperServer", zookeeperServer);
    facts.put("versions", Versions.all());
    return facts;
  }
}
