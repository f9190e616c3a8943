/** What the historical layout says about a group, and what is wrong with it. Pure. */
@NullMarked
package io.rebalancer.bridge.group;

import org.jspecify.annotations.NullMarked;
