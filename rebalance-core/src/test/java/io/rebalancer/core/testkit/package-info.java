/**
 * What tests of every module share: virtual time, seeds, ownership assertions, the engine contract.
 */
package io.rebalancer.core.testkit;
