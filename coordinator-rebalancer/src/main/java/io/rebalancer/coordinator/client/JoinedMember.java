package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.MemberId;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;

/**
 * A member as the Join's answer shows it to the group leader.
 *
 * @param instanceId {@code group.instance.id}; empty when it has none
 */
record JoinedMember(MemberId id, String instanceId, ConsumerProtocolSubscription subscription) {}
