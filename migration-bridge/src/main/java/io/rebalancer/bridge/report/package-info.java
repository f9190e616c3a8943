/** Turns results into what a person or a program reads. Pure. */
@NullMarked
package io.rebalancer.bridge.report;

import org.jspecify.annotations.NullMarked;
