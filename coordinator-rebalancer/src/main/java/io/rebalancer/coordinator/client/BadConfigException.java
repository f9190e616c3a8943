package io.rebalancer.coordinator.client;

import java.util.List;

/** All violations of a {@link CoordinatorClientConfig}, each with its keys and values. */
final class BadConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> violations;

  BadConfigException(List<String> violations) {
    super(String.join("; ", violations));
    this.violations = List.copyOf(violations);
  }

  List<String> violations() {
    return violations;
  }
}
