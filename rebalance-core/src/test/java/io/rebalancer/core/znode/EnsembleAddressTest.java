package io.rebalancer.core.znode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnsembleAddressTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"h1:2181,h2:2181/k", "h1:2181/", "h1:2181", "h1", "[::1]:2181/a/b", "[::1],h2"})
  void b110WhatZooKeepersClientTakesAsItIsMeantIsTaken(String text) {
    assertThat(EnsembleAddress.demand("zookeeper.connect", text)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "h1:2181/k,h2:2181/k | the chroot once, at the end: \"h1:2181,h2:2181/k\"",
        "h1:2181/k,h2:2181   | the chroot once, at the end: \"h1:2181,h2:2181/k\"",
        "h1:2181/k/          | \"/k/\" is no path of a znode",
        "h1:2181//k          | \"//k\" is no path of a znode",
        "h1:2181/a/../k      | \"/a/../k\" is no path of a znode",
        "''                  | there is no host",
        "/k                  | there is no host",
        "h1:2181,,h2:2181    | \"\" is no HOST:PORT",
        "h1:99999            | \"h1:99999\" is no HOST:PORT",
        "h1:x                | \"h1:x\" is no HOST:PORT",
        "h1 h2               | \"h1 h2\" is no HOST:PORT",
      })
  void b110WhatItWouldTakeOtherwiseIsRefusedAndSaidHow(String text, String why) {
    assertThatThrownBy(() -> EnsembleAddress.demand("zookeeper.connect", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("zookeeper.connect: \"" + text + "\" (expected: ")
        .hasMessageEndingWith(why + ")");
  }
}
