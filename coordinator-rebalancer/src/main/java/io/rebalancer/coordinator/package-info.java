/** The group coordinator that replaces watching: its configuration and its wiring. */
@NullMarked
package io.rebalancer.coordinator;

import org.jspecify.annotations.NullMarked;
