/** The original consumer's decisions: values in, values out. Pure. */
@NullMarked
package io.rebalancer.zk.protocol;

import org.jspecify.annotations.NullMarked;
