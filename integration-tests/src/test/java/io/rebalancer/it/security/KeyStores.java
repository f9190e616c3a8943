package io.rebalancer.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;

/**
 * Certificates of a server and of a client that sign themselves, made by the JDK's keytool.
 *
 * @param directory where the stores are
 */
record KeyStores(Path directory) {

  static final String PASSWORD = "changeit";

  /** ZooKeeper's client looks an address up in reverse, and demands that name. */
  private static final String LOOPBACK = new InetSocketAddress("127.0.0.1", 1).getHostName();

  static KeyStores in(Path directory) throws Exception {
    KeyStores stores = new KeyStores(directory);
    KeyStore server = stores.generate("server");
    KeyStore client = stores.generate("client");
    stores.trust(stores.trustOfClient(), server);
    stores.trust(stores.trustOfServer(), client);
    return stores;
  }

  Path server() {
    return directory.resolve("server.p12");
  }

  Path client() {
    return directory.resolve("client.p12");
  }

  /** Holds the server's certificate. */
  Path trustOfClient() {
    return directory.resolve("trust-of-client.p12");
  }

  /** Holds the client's certificate, and so does not do for a client. */
  Path trustOfServer() {
    return directory.resolve("trust-of-server.p12");
  }

  /** What a client needs for TLS on both sides. */
  Map<String, String> clientConfiguration() {
    return Map.of(
        "zookeeper.ssl.client.enable",
        "true",
        "zookeeper.ssl.keystore.location",
        client().toString(),
        "zookeeper.ssl.keystore.password",
        PASSWORD,
        "zookeeper.ssl.truststore.location",
        trustOfClient().toString(),
        "zookeeper.ssl.truststore.password",
        PASSWORD);
  }

  private KeyStore generate(String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1,dns:" + LOOPBACK,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore loaded = KeyStore.getInstance("PKCS12");
    try (InputStream bytes = Files.newInputStream(store)) {
      loaded.load(bytes, PASSWORD.toCharArray());
    }
    return loaded;
  }

  private void trust(Path store, KeyStore other) throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    String alias = other.aliases().nextElement();
    trust.setCertificateEntry(alias, other.getCertificate(alias));
    try (OutputStream bytes = Files.newOutputStream(store)) {
      trust.store(bytes, PASSWORD.toCharArray());
    }
  }
}
