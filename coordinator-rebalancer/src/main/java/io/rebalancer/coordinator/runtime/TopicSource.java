package io.rebalancer.coordinator.runtime;

/** Port: the topics of the cluster, kept up to date. */
public interface TopicSource {

  /** Cheap; on any thread. */
  TopicCatalog current();
}
