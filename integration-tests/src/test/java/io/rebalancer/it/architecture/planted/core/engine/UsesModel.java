package io.rebalancer.it.architecture.planted.core.engine;

import io.rebalancer.it.architecture.planted.core.model.ModelValue;

/** The other half of the cycle. */
public class UsesModel {
  public ModelValue value;
}
