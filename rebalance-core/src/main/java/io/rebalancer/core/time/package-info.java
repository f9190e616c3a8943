/** Injected time. */
@NullMarked
package io.rebalancer.core.time;

import org.jspecify.annotations.NullMarked;
