package io.rebalancer.coordinator.group;

/**
 * Who is on the other end of a connection.
 *
 * @param software the name the client gave in ApiVersions, empty when it gave none
 */
public record ClientInfo(String clientId, String host, String software) {

  /** How our own member client names itself. */
  public static final String OWN_SOFTWARE = "rebalancer";

  boolean isOurs() {
    return software.equals(OWN_SOFTWARE);
  }
}
