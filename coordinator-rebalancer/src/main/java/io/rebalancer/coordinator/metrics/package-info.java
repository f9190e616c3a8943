/** What a coordinator does, as Micrometer meters. */
@org.jspecify.annotations.NullMarked
package io.rebalancer.coordinator.metrics;
