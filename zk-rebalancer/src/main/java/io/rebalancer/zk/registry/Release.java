package io.rebalancer.zk.registry;

import io.rebalancer.core.znode.JsonDialect;

/** What differs between releases of kafka in how znodes are read and written. */
public enum Release {
  /**
   * 0.8.2: a registration that meets another's waits for it to go, the chroot is not looked for,
   * partitions are read of one's own topics only, and numbers in JSON have to be 32-bit ints.
   */
  V0_8(JsonDialect.KAFKA_0_8),
  /**
   * 1.1: a registration that meets another session's is refused, the chroot is looked for once, and
   * partitions are read of every topic that anybody subscribes to.
   */
  V1_1(JsonDialect.KAFKA_1_1);

  private final JsonDialect json;

  Release(JsonDialect json) {
    this.json = json;
  }

  JsonDialect json() {
    return json;
  }
}
