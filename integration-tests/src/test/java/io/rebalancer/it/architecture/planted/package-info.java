/**
 * Violations of every rule of {@code Layers}, one each, to see the rules fail. Used by nothing
 * else.
 */
package io.rebalancer.it.architecture.planted;
