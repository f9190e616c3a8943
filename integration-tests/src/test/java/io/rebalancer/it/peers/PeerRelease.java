package io.rebalancer.it.peers;

import io.rebalancer.zk.Profile;

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
    return PeerJvm.classPath("kafka-" + version);
  }

  @Override
  public String toString() {
    return version;
  }
}
