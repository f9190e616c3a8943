/** Our assignors beside kafka's own: the same groups, each side in its own types. */
@NullMarked
package io.rebalancer.bench;

import org.jspecify.annotations.NullMarked;
