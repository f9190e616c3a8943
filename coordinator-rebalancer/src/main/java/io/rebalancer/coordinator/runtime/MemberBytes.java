package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.core.model.Assignment;
import java.util.Optional;
import java.util.function.Function;

/**
 * How to read what the members of one protocol type send each other.
 *
 * @param protocolType whose bytes can be read
 * @param assignment the partitions of an assignment; empty when it is none
 * @param rack the rack that a subscription names; empty when it names none, or is none
 */
public record MemberBytes(
    String protocolType,
    Function<Opaque, Optional<Assignment>> assignment,
    Function<Opaque, String> rack) {}
