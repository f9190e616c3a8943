/**
 * Assignors that divide partitions among members rather than threads, as Kafka's group protocol
 * does. Pure: the same input in any order gives the same result.
 */
@NullMarked
package io.rebalancer.core.assignor.member;

import org.jspecify.annotations.NullMarked;
