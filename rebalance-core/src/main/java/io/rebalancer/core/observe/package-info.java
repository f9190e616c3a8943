/** All instrumentation goes through here: what an engine does, as values. */
@NullMarked
package io.rebalancer.core.observe;

import org.jspecify.annotations.NullMarked;
