/**
 * The SPI that both engines implement: a member joins a group, is told what it owns, and leaves.
 */
@NullMarked
package io.rebalancer.core.engine;

import org.jspecify.annotations.NullMarked;
