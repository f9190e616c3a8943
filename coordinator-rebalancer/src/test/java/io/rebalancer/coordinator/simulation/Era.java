package io.rebalancer.coordinator.simulation;

/** Releases of Kafka's client between which a member's behaviour differs. */
enum Era {
  /**
   * 2.4: its claim of partitions has no generation, and poll() returns no records while a rebalance
   * is on its way.
   */
  V2_4,
  /** 2.8 to 3.3: claims with the generation of its last completed Sync (KAFKA-13419). */
  V2_8,
  /** 3.4 and later: claims with the generation it joined last. */
  V3_4
}
