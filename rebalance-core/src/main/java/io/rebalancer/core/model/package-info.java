/** Values shared by both engines: groups, members, partitions and who owns them. Pure. */
@NullMarked
package io.rebalancer.core.model;

import org.jspecify.annotations.NullMarked;
