/** Runs a scenario against an engine and measures it by the definitions of docs/experiments.md. */
@NullMarked
package io.rebalancer.bridge.experiment;

import org.jspecify.annotations.NullMarked;
