package io.rebalancer.it.architecture.planted.core.model;

import io.rebalancer.it.architecture.planted.core.engine.UsesModel;
import org.slf4j.Logger;

/** Core may use the JDK and Jackson only, a pure package not even core's engine; and a cycle. */
class UsesLogging {
  public Logger logger;
  public UsesModel engine;
}
