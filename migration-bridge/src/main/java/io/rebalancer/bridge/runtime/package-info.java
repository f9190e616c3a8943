/** What touches the machine: child JVMs, signals, clocks, limits. */
@NullMarked
package io.rebalancer.bridge.runtime;

import org.jspecify.annotations.NullMarked;
