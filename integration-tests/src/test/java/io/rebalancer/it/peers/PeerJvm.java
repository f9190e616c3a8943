package io.rebalancer.it.peers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs on the class path of a peer: what a POM in {@code peers} has fetched, and nothing else. */
public final class PeerJvm {

  private PeerJvm() {}

  /** Everything that {@code peer}, a folder in {@code peers}, has fetched. */
  public static String classPath(String peer) {
    Path peers = Path.of(System.getProperty("rebalancer.peers", "peers"));
    Path jars = peers.resolve(peer).resolve("target").resolve("jars");
    if (!Files.isDirectory(jars)) {
      throw new IllegalStateException(
          jars.toAbsolutePath() + ": missing; the build makes it (mvn -pl integration-tests -am)");
    }
    return jars.toAbsolutePath() + "/*";
  }

  /** A JVM of those classes and these tests', with no more of the machine than it needs. */
  public static List<String> command(String classPath, String mainClass) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dlog4j.configuration=peers/log4j.properties",
            "-cp",
            ownClasses() + File.pathSeparator + classPath,
            mainClass));
  }

  private static String ownClasses() {
    return Path.of(PeerJvm.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .toString();
  }
}
