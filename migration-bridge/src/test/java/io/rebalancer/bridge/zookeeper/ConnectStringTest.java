package io.rebalancer.bridge.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectStringTest {

  @Test
  void serversAndChrootAreTakenApart() {
    ConnectString ensemble = ConnectString.parse("a:2181,b:2182/x/y");

    assertThat(ensemble).isEqualTo(new ConnectString(List.of("a:2181", "b:2182"), "/x/y"));
    assertThat(ensemble.below("/z")).hasToString("a:2181,b:2182/x/y/z");
    assertThat(ensemble.root()).hasToString("a:2181,b:2182");
  }

  @Test
  void anIpv6AddressStandsInBrackets() {
    assertThat(ConnectString.parse("[::1]:2181").addresses().get(0).getPort()).isEqualTo(2181);
  }

  @Test
  void aLoneSlashIsNoChroot() {
    assertThat(ConnectString.parse("a:2181/")).isEqualTo(ConnectString.parse("a:2181"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a:", "a:0", "a:65536", "a:1,", "a:1//x", "a:1/x/", "a b:1"})
  void whatIsNoAddressIsShown(String text) {
    assertThatThrownBy(() -> ConnectString.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" (expected: HOST:PORT[,HOST:PORT...][/chroot])");
  }

  @Test
  void b110AChrootBehindEveryHostIsRefusedWithTheRightForm() {
    assertThatThrownBy(() -> ConnectString.parse("h1:2181/k,h2:2181/k"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "\"h1:2181/k,h2:2181/k\" (expected: the chroot once, at the end: \"h1:2181,h2:2181/k\")");
  }
}
