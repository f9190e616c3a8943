package io.rebalancer.zk.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZkSecurityTest {

  private static final String ENABLE = "zookeeper.ssl.client.enable";
  private static final String NETTY = "org.apache.zookeeper.ClientCnxnSocketNetty";

  private static AbstractThrowableAssert<?, ?> assertRefused(Map<String, String> configuration) {
    return assertThatThrownBy(() -> ZkSecurity.parse(configuration))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aConfigurationWithoutItsKeysIsNone() {
    assertThat(ZkSecurity.parse(Map.of("zookeeper.connect", "h:1", "group.id", "g")))
        .isEqualTo(ZkSecurity.none());
  }

  @Test
  void everyKeyOfTlsBecomesZooKeepersProperty() {
    Map<String, String> configuration = new TreeMap<>();
    configuration.put(ENABLE, "TRUE");
    configuration.put("zookeeper.ssl.keystore.location", "/k.p12");
    configuration.put("zookeeper.ssl.keystore.password", " k ");
    configuration.put("zookeeper.ssl.keystore.type", "PKCS12");
    configuration.put("zookeeper.ssl.truststore.location", "/t.p12");
    configuration.put("zookeeper.ssl.truststore.password", "t");
    configuration.put("zookeeper.ssl.truststore.type", "JKS");
    configuration.put("zookeeper.ssl.protocol", "TLSv1.3");
    configuration.put("zookeeper.ssl.enabled.protocols", "TLSv1.2,TLSv1.3");
    configuration.put("zookeeper.ssl.cipher.suites", "A,B");
    configuration.put("zookeeper.ssl.endpoint.identification.algorithm", "");
    configuration.put("zookeeper.ssl.crl.enable", "true");
    configuration.put("zookeeper.ssl.ocsp.enable", "false");
    configuration.put("zookeeper.fips-mode", "false");

    Map<String, String> expected = new TreeMap<>();
    expected.put("zookeeper.client.secure", "true");
    expected.put("zookeeper.clientCnxnSocket", NETTY);
    expected.put("zookeeper.ssl.keyStore.location", "/k.p12");
    expected.put("zookeeper.ssl.keyStore.password", " k ");
    expected.put("zookeeper.ssl.keyStore.type", "PKCS12");
    expected.put("zookeeper.ssl.trustStore.location", "/t.p12");
    expected.put("zookeeper.ssl.trustStore.password", "t");
    expected.put("zookeeper.ssl.trustStore.type", "JKS");
    expected.put("zookeeper.ssl.protocol", "TLSv1.3");
    expected.put("zookeeper.ssl.enabledProtocols", "TLSv1.2,TLSv1.3");
    expected.put("zookeeper.ssl.ciphersuites", "A,B");
    expected.put("zookeeper.ssl.hostnameVerification", "false");
    expected.put("zookeeper.ssl.crl", "true");
    expected.put("zookeeper.ssl.ocsp", "false");
    expected.put("zookeeper.fips-mode", "false");
    assertThat(ZkSecurity.parse(configuration)).isEqualTo(new ZkSecurity(expected, "", false));
  }

  @Test
  void loginsAndAclsAreTaken() {
    ZkSecurity security =
        ZkSecurity.parse(
            Map.of(
                "zookeeper.sasl.client", "true",
                "zookeeper.sasl.clientconfig", "Mine",
                "zookeeper.sasl.client.username", "zk",
                "zookeeper.auth.digest", "m1:a:b",
                "zookeeper.set.acl", "true"));

    assertThat(security)
        .isEqualTo(
            new ZkSecurity(
                Map.of(
                    "zookeeper.sasl.client", "true",
                    "zookeeper.sasl.clientconfig", "Mine",
                    "zookeeper.sasl.client.username", "zk"),
                "m1:a:b",
                true));
    assertThat(security.digestUser()).isEqualTo("m1");
  }

  @Test
  void theSocketThatTlsNeedsIsTheDefaultAndNoOtherIsTaken() {
    assertThat(ZkSecurity.parse(Map.of(ENABLE, "true")).clientProperties())
        .containsEntry("zookeeper.clientCnxnSocket", NETTY);
    assertThat(ZkSecurity.parse(Map.of(ENABLE, "false")).clientProperties())
        .isEqualTo(Map.of("zookeeper.client.secure", "false"));
    assertRefused(
            Map.of(
                ENABLE,
                "true",
                "zookeeper.clientCnxnSocket",
                "org.apache.zookeeper.ClientCnxnSocketNIO"))
        .hasMessage(
            "zookeeper.clientCnxnSocket: \"org.apache.zookeeper.ClientCnxnSocketNIO\" (expected: "
                + NETTY
                + ", for TLS)");
  }

  /** Otherwise a forgotten line would mean plain text without a word. */
  @Test
  void keysOfTlsAreRefusedWhereNobodySaysWhetherItIsOn() {
    assertRefused(Map.of("zookeeper.ssl.truststore.location", "/t"))
        .hasMessage(
            "zookeeper.ssl.truststore.location: given (expected: zookeeper.ssl.client.enable"
                + " beside it)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zookeeper.ssl.keyStore.location | unknown (expected: zookeeper.ssl.keystore.location)",
        "zookeeper.ssl.enabledProtocols | unknown (expected: zookeeper.ssl.enabled.protocols)",
        "zookeeper.client.secure | unknown (expected: zookeeper.ssl.client.enable)",
        "zookeeper.clientcnxnsocket | unknown (expected: zookeeper.clientCnxnSocket)",
        "zookeeper.sasl.frobnicate | unknown (expected: zookeeper.ssl.client.enable, ",
        "zookeeper.set.acls | unknown (expected: zookeeper.ssl.client.enable, ",
      })
  void anUnknownKeyIsNamedWithTheOneThatIsMeant(String key, String message) {
    assertRefused(Map.of(key, "true")).hasMessageStartingWith(key + ": " + message);
  }

  @Test
  void everyProblemIsNamedAndNoSecretShown() {
    assertRefused(
            Map.of(
                ENABLE,
                "yes",
                "zookeeper.ssl.endpoint.identification.algorithm",
                "LDAPS",
                "zookeeper.ssl.keystore.password",
                "",
                "zookeeper.auth.digest",
                "secret-without-user",
                "zookeeper.sasl.clientconfig",
                " ",
                "zookeeper.set.acl",
                "1"))
        .hasMessageContaining(ENABLE + ": \"yes\" (expected: true or false)")
        .hasMessageContaining("algorithm: \"LDAPS\" (expected: https, or nothing")
        .hasMessageContaining("zookeeper.ssl.keystore.password: a secret not shown (expected: a")
        .hasMessageContaining("zookeeper.auth.digest: a secret not shown (expected: USER:PASSWORD)")
        .hasMessageContaining("zookeeper.sasl.clientconfig: \" \" (expected: a value)")
        .hasMessageContaining("zookeeper.set.acl: \"1\" (expected: true or false)")
        .hasMessageNotContaining("secret-without-user");
  }

  @Test
  void noPasswordIsPrinted() {
    ZkSecurity security =
        ZkSecurity.parse(
            Map.of(
                ENABLE,
                "true",
                "zookeeper.ssl.keystore.password",
                "hidden1",
                "zookeeper.ssl.truststore.password",
                "hidden2",
                "zookeeper.auth.digest",
                "m1:hidden3"));

    assertThat(security.toString())
        .doesNotContain("hidden")
        .contains("zookeeper.ssl.keyStore.password=***", "digest=m1:***");
  }
}
