package io.rebalancer.zk.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AclsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/consumers",
        "/consumers/g",
        "/consumers/owners",
        "/consumers/g/ids",
        "/consumers/g/ids/g_c1",
        "/consumers/g/ids/owners",
        "/chroot"
      })
  void registrationsAndWhatIsAboveThemStayOpen(String path) {
    assertThat(Acls.of(path, true)).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/consumers/g/owners",
        "/consumers/g/owners/t",
        "/consumers/g/owners/t/0",
        "/consumers/g/offsets",
        "/consumers/g/offsets/ids/0",
        "/brokers",
        "/brokers/topics",
        "/brokers/topics/t"
      })
  void ownersOffsetsAndTopicsAreTheirCreatorsAndReadableByAll(String path) {
    assertThat(Acls.of(path, true))
        .containsExactly(
            new ACL(ZooDefs.Perms.ALL, ZooDefs.Ids.AUTH_IDS),
            new ACL(ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE));
  }

  @Test
  void nothingIsSetUnlessItIsAskedFor() {
    assertThat(Acls.of("/consumers/g/owners/t/0", false)).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  /** ZooKeeper asks a list for null, which an immutable one of the JDK answers by throwing. */
  @Test
  void theListsMayBeAskedForNull() {
    assertThat(Acls.CREATORS.contains(null)).isFalse();
    assertThat(Acls.OPEN.contains(null)).isFalse();
  }
}
