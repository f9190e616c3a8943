/** The threads of one consumer, and the port to the registry they carry their effects out on. */
@NullMarked
package io.rebalancer.zk.runtime;

import org.jspecify.annotations.NullMarked;
