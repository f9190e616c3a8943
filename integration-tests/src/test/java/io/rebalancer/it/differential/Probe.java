package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A request to be made of a group in some state.
 *
 * @param role who makes it, over its own connection
 * @param parks whether its answer may depend on what others do
 */
record Probe(
    String name,
    ApiKeys key,
    int version,
    String role,
    boolean parks,
    Function<Dialog, ApiMessage> body) {

  /** Every probe in every state. */
  static List<Script> in(List<State> states, List<Probe> probes) {
    List<Script> scripts = new ArrayList<>();
    for (State state : states) {
      probes.forEach(probe -> scripts.add(probe.in(state)));
    }
    return scripts;
  }

  Script in(State state) {
    return new Script(
        key.name + " v" + version + ", " + state + ": " + name,
        dialog -> {
          state.reach(dialog);
          String connection = dialog.sendAside(role, key, version, body.apply(dialog));
          // A Join to a group without members is answered when the initial delay is over.
          if (!parks || !state.hasMembers()) {
            dialog.answer(connection);
          }
          dialog.finish();
        });
  }
}
