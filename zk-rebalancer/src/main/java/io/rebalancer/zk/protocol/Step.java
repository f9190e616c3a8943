package io.rebalancer.zk.protocol;

import java.util.ArrayList;
import java.util.List;

/** What one event leads to: the next state, and what to do, in order. */
public record Step(ConsumerState state, List<ConsumerEffect> effects) {

  public Step {
    effects = List.copyOf(effects);
  }

  static Step to(ConsumerState state, ConsumerEffect... effects) {
    return new Step(state, List.of(effects));
  }

  /** The same step, with these effects before its own. */
  Step after(ConsumerEffect... first) {
    List<ConsumerEffect> all = new ArrayList<>(List.of(first));
    all.addAll(effects);
    return new Step(state, all);
  }
}
