/** What a consumer is seen to do, as Micrometer meters under the original's names. */
@NullMarked
package io.rebalancer.zk.metrics;

import org.jspecify.annotations.NullMarked;
