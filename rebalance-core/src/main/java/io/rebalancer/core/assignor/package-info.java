/** The original's two assignment strategies in their thread-based form. Pure. */
@NullMarked
package io.rebalancer.core.assignor;

import org.jspecify.annotations.NullMarked;
