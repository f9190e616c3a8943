package io.rebalancer.it.differential;

/**
 * A conversation with a coordinator, about groups that no other script names.
 *
 * @param name what the report and the recorded answers call it; unique
 */
record Script(String name, Steps steps) {

  interface Steps {
    void run(Dialog dialog) throws Exception;
  }
}
