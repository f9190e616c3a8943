package io.rebalancer.it.peers;

import io.rebalancer.zk.Profile;
import java.nio.file.Files;
import java.nio.file.Path;

/** A release of Kafka whose original consumer the build has fetched. */
enum PeerRelease {
  V1_1_1("1.1.1", Profile.V1_1),
  V0_8_2_2("0.8.2.2", Profile.V0_8);

  private final String version;
  private final Profile profile;

  PeerRelease(String version, Profile profile) {
    this.version = version;
    this.profile = profile;
  }

  /** How ours play it. */
  Profile profile() {
    return profile;
  }

  /** Everything that release needs, and nothing else. */
  String classPath() {
    return classPath(version);
  }

  /** The same of any release that the build has fetched. */
  static String classPath(String version) {
    Path peers = Path.of(System.getProperty("rebalancer.peers", "peers"));
    Path jars = peers.resolve("kafka-" + version).resolve("target").resolve("jars");
    if (!Files.isDirectory(jars)) {
      throw new IllegalStateException(
          jars.toAbsolutePath() + ": missing; the build makes it (mvn -pl integration-tests -am)");
    }
    return jars.toAbsolutePath() + "/*";
  }

  @Override
  public String toString() {
    return version;
  }
}
