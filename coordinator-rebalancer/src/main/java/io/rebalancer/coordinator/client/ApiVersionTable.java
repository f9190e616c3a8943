package io.rebalancer.coordinator.client;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** The version of each request that both sides of a connection know: the highest common one. */
final class ApiVersionTable {

  private record Range(short lowest, short highest) {
    static Range of(int lowest, int highest) {
      return new Range((short) lowest, (short) highest);
    }
  }

  /**
   * What this client can write. Lower ends: the first version with what it relies on (batched keys,
   * group.instance.id, lists of leavers); upper ends: the last that names topics.
   */
  private static final Map<ApiKeys, Range> OURS =
      new EnumMap<>(
          Map.of(
              ApiKeys.API_VERSIONS, Range.of(0, 4),
              ApiKeys.METADATA, Range.of(4, 13),
              ApiKeys.FIND_COORDINATOR, Range.of(4, 6),
              ApiKeys.JOIN_GROUP, Range.of(5, 9),
              ApiKeys.SYNC_GROUP, Range.of(3, 5),
              ApiKeys.HEARTBEAT, Range.of(3, 4),
              ApiKeys.LEAVE_GROUP, Range.of(3, 5),
              ApiKeys.OFFSET_COMMIT, Range.of(3, 9),
              ApiKeys.OFFSET_FETCH, Range.of(8, 9)));

  private final Map<ApiKeys, Range> theirs = new EnumMap<>(ApiKeys.class);

  private ApiVersionTable() {}

  /** Before the first answer: ApiVersions alone, at {@code version}. */
  static ApiVersionTable first(short version) {
    ApiVersionTable table = new ApiVersionTable();
    table.theirs.put(ApiKeys.API_VERSIONS, new Range(version, version));
    return table;
  }

  static short newestApiVersions() {
    return range(ApiKeys.API_VERSIONS).highest();
  }

  static ApiVersionTable of(ApiVersionsResponseData answer) {
    ApiVersionTable table = new ApiVersionTable();
    answer
        .apiKeys()
        .forEach(
            offered -> {
              if (ApiKeys.hasId(offered.apiKey())) {
                table.theirs.put(
                    ApiKeys.forId(offered.apiKey()),
                    new Range(offered.minVersion(), offered.maxVersion()));
              }
            });
    return table;
  }

  /** Throws {@link UnsupportedApiException} when there is no common version. */
  short version(ApiKeys api) throws UnsupportedApiException {
    Range ours = range(api);
    Range offered = theirs.get(api);
    if (offered == null) {
      throw new UnsupportedApiException(api.name + " is not offered");
    }
    int highest = Math.min(ours.highest(), offered.highest());
    if (highest < Math.max(ours.lowest(), offered.lowest())) {
      throw new UnsupportedApiException(
          "%s is offered as %d-%d (expected: one of %d-%d)"
              .formatted(
                  api.name, offered.lowest(), offered.highest(), ours.lowest(), ours.highest()));
    }
    return (short) highest;
  }

  private static Range range(ApiKeys api) {
    Range range = OURS.get(api);
    if (range == null) {
      throw new IllegalArgumentException("request: " + api + " (expected: one of " + OURS + ")");
    }
    return range;
  }

  /** The server is no coordinator for this client; trying again will not help. */
  static final class UnsupportedApiException extends IOException {
    private static final long serialVersionUID = 1L;

    UnsupportedApiException(String message) {
      super(message);
    }
  }
}
