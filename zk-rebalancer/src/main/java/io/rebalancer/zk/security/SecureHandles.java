package io.rebalancer.zk.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.X509Util;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/** Makes ZooKeeper handles as a {@link ZkSecurity} asks for. Thread-safe. */
public final class SecureHandles {

  private static final Predicate<AppConfigurationEntry> BY_DIGEST =
      entry -> entry.getLoginModuleName().endsWith(".DigestLoginModule");

  /** A first handshake alone can take seconds on a busy machine. */
  private static final Duration PROBE = Duration.ofSeconds(5);

  private final ZkSecurity security;
  private final ZKClientConfig config = new ZKClientConfig();

  public SecureHandles(ZkSecurity security) {
    this.security = requireNonNull(security, "security");
    security.clientProperties().forEach(config::setProperty);
  }

  /**
   * Looks at key stores and logins, which ZooKeeper's client would only log the lack of.
   *
   * @throws IllegalArgumentException naming the key
   */
  public void demandUsable() {
    demandLogin();
    if (isTls()) {
      try (ClientX509Util x509 = new ClientX509Util()) {
        demandStore(
            "zookeeper.ssl.keystore",
            config.getProperty(x509.getSslKeystoreLocationProperty()),
            config.getProperty(x509.getSslKeystorePasswdProperty()),
            config.getProperty(x509.getSslKeystoreTypeProperty()),
            X509Util::loadKeyStore);
        demandStore(
            "zookeeper.ssl.truststore",
            config.getProperty(x509.getSslTruststoreLocationProperty()),
            config.getProperty(x509.getSslTruststorePasswdProperty()),
            config.getProperty(x509.getSslTruststoreTypeProperty()),
            X509Util::loadTrustStore);
      }
      sslContext();
    }
  }

  private void demandLogin() {
    String context = loginContext();
    boolean named = security.clientProperties().containsKey(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY);
    boolean login = usesSasl();
    if (named && config.isSaslClientEnabled() && !login) {
      throw new IllegalArgumentException(
          ZKClientConfig.LOGIN_CONTEXT_NAME_KEY
              + ": \""
              + context
              + "\" (expected: a login context of the JAAS configuration)");
    }
    if (login && X509Util.getFipsMode(config) && jaas(context).stream().anyMatch(BY_DIGEST)) {
      throw new IllegalArgumentException(
          "zookeeper.fips-mode: true (expected: false, as login context "
              + context
              + " uses DIGEST-MD5)");
    }
    boolean certificate = isTls() && config.getProperty("zookeeper.ssl.keyStore.location") != null;
    if (security.setAcl() && security.digest().isEmpty() && !login && !certificate) {
      throw new IllegalArgumentException(
          "zookeeper.set.acl: true without a login (expected: zookeeper.auth.digest, login context "
              + context
              + " in the JAAS configuration, or zookeeper.ssl.keystore.location)");
    }
  }

  private String loginContext() {
    return config.getProperty(
        ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, ZKClientConfig.LOGIN_CONTEXT_NAME_KEY_DEFAULT);
  }

  private boolean usesSasl() {
    return config.isSaslClientEnabled() && !jaas(loginContext()).isEmpty();
  }

  /** What the JVM's JAAS configuration has under this name. */
  private static List<AppConfigurationEntry> jaas(String context) {
    try {
      AppConfigurationEntry[] entries =
          Configuration.getConfiguration().getAppConfigurationEntry(context);
      return entries == null ? List.of() : List.of(entries);
    } catch (SecurityException e) {
      return List.of(); // There is no JAAS configuration.
    }
  }

  @FunctionalInterface
  private interface StoreLoader {
    KeyStore load(String location, @Nullable String password, @Nullable String type)
        throws IOException, GeneralSecurityException;
  }

  private static void demandStore(
      String key,
      @Nullable String location,
      @Nullable String password,
      @Nullable String type,
      StoreLoader loader) {
    if (location == null || location.isEmpty()) {
      return;
    }
    if (!Files.isReadable(Path.of(location))) {
      throw new IllegalArgumentException(
          key + ".location: " + location + " (expected: a file that can be read)");
    }
    try {
      loader.load(location, password == null ? "" : password, type);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(key + ".location: " + location + ": " + e.getMessage(), e);
    }
  }

  /** Empty when it does not use TLS. */
  Optional<SSLContext> sslContext() {
    if (!isTls()) {
      return Optional.empty();
    }
    try (ClientX509Util x509 = new ClientX509Util()) {
      return Optional.of(x509.createSSLContext(config));
    } catch (X509Exception.SSLContextException e) {
      throw new IllegalArgumentException("zookeeper.ssl.*: " + Causes.root(e).getMessage(), e);
    }
  }

  /** Whether the server's name has to be in its certificate. */
  boolean verifiesNames() {
    try (ClientX509Util x509 = new ClientX509Util()) {
      return x509.isServerHostnameVerificationEnabled(config);
    }
  }

  boolean isTls() {
    return config.getBoolean(ZKClientConfig.SECURE_CLIENT);
  }

  /** A session of one's own; {@code watcher} is told of the connection. */
  public ZooKeeper open(
      String connect, int sessionTimeoutMs, Watcher watcher, boolean canBeReadOnly)
      throws IOException {
    return loggedIn(new ZooKeeper(connect, sessionTimeoutMs, watcher, canBeReadOnly, config));
  }

  /** The session that {@code previous} had. */
  public ZooKeeper resume(
      String connect,
      int sessionTimeoutMs,
      Watcher watcher,
      boolean canBeReadOnly,
      ZooKeeper previous)
      throws IOException {
    return loggedIn(
        new ZooKeeper(
            connect,
            sessionTimeoutMs,
            watcher,
            previous.getSessionId(),
            previous.getSessionPasswd(),
            canBeReadOnly,
            new StaticHostProvider(new ConnectStringParser(connect).getServerAddresses()),
            config));
  }

  private ZooKeeper loggedIn(ZooKeeper handle) {
    if (!security.digest().isEmpty()) {
      handle.addAuthInfo("digest", security.digest().getBytes(UTF_8));
    }
    return handle;
  }

  /** The ACL of a znode that is created at this path. */
  public List<ACL> acl(String path) {
    return Acls.of(path, security.setAcl());
  }

  /**
   * Waits until the client is connected. What is wrong is looked for while there is still time,
   * since no error comes by itself.
   *
   * @return empty when it is connected in time; otherwise what is seen to be wrong, to be put
   *     behind a message, which may be nothing
   */
  public Optional<String> awaitConnected(CuratorFramework client, String connect, Duration limit)
      throws InterruptedException {
    Ticker clock = Ticker.system();
    long deadlineNanos = clock.nanos() + limit.toNanos();
    Duration last = limit.dividedBy(2).compareTo(PROBE) < 0 ? limit.dividedBy(2) : PROBE;
    if (client.blockUntilConnected(millis(limit.minus(last)), TimeUnit.MILLISECONDS)) {
      return Optional.empty();
    }
    String wrong =
        new ConnectProbe(this)
            .whyUnreachable(connect, last.multipliedBy(3).dividedBy(4))
            .map(": "::concat)
            .orElse("");
    Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - clock.nanos()));
    return client.blockUntilConnected(millis(left), TimeUnit.MILLISECONDS)
        ? Optional.empty()
        : Optional.of(wrong);
  }

  /** At least 1, so that it looks once. */
  private static int millis(Duration duration) {
    return (int) Math.max(1, duration.toMillis());
  }

  /** Who it says it is, for messages. */
  public String login() {
    if (!security.digest().isEmpty()) {
      return "digest user " + security.digestUser();
    }
    if (usesSasl()) {
      return "SASL login context " + loginContext();
    }
    return isTls()
        ? "the certificate of zookeeper.ssl.keystore.location"
        : "a client without login";
  }
}
