/** The command line: flags in, exit code out; wiring of everything a command needs. */
@NullMarked
package io.rebalancer.bridge.cli;

import org.jspecify.annotations.NullMarked;
