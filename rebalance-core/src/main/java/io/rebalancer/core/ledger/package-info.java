/** The append-only record of ownership and the checker that turns it into a verdict. Pure. */
@NullMarked
package io.rebalancer.core.ledger;

import org.jspecify.annotations.NullMarked;
