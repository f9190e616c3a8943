package io.rebalancer.coordinator.wire;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Which requests the coordinator answers, in which versions: what real clients need. */
public final class SupportedApis {

  /** Both ends included. */
  public record Range(short min, short max) {
    boolean includes(short version) {
      return version >= min && version <= max;
    }
  }

  private static final Map<ApiKeys, Range> RANGES = ranges();

  private SupportedApis() {}

  private static Map<ApiKeys, Range> ranges() {
    Map<ApiKeys, Range> ranges = new EnumMap<>(ApiKeys.class);
    put(ranges, ApiKeys.FETCH, 4, 18);
    put(ranges, ApiKeys.LIST_OFFSETS, 1, 11);
    put(ranges, ApiKeys.METADATA, 0, 13);
    put(ranges, ApiKeys.OFFSET_COMMIT, 2, 10);
    put(ranges, ApiKeys.OFFSET_FETCH, 1, 10);
    put(ranges, ApiKeys.FIND_COORDINATOR, 0, 6);
    put(ranges, ApiKeys.JOIN_GROUP, 0, 9);
    put(ranges, ApiKeys.HEARTBEAT, 0, 4);
    put(ranges, ApiKeys.LEAVE_GROUP, 0, 5);
    put(ranges, ApiKeys.SYNC_GROUP, 0, 5);
    put(ranges, ApiKeys.DESCRIBE_GROUPS, 0, 6);
    put(ranges, ApiKeys.LIST_GROUPS, 0, 5);
    put(ranges, ApiKeys.API_VERSIONS, 0, 4);
    put(ranges, ApiKeys.DELETE_GROUPS, 0, 3);
    put(ranges, ApiKeys.OFFSET_DELETE, 0, 0);
    put(ranges, ApiKeys.DESCRIBE_CLUSTER, 0, 2);
    put(ranges, ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, 1);
    put(ranges, ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, 0);
    return Collections.unmodifiableMap(ranges);
  }

  private static void put(Map<ApiKeys, Range> ranges, ApiKeys key, int min, int max) {
    ranges.put(key, new Range((short) min, (short) max));
  }

  public static Map<ApiKeys, Range> all() {
    return RANGES;
  }

  public static boolean includes(ApiKeys key, short version) {
    Range range = RANGES.get(key);
    return range != null && range.includes(version);
  }

  /** The answer to ApiVersions; {@code error} is UNSUPPORTED_VERSION for a version too new. */
  public static ApiVersionsResponseData apiVersions(Errors error) {
    ApiVersionsResponseData answer = new ApiVersionsResponseData().setErrorCode(error.code());
    RANGES.forEach(
        (key, range) ->
            answer
                .apiKeys()
                .add(
                    new ApiVersion()
                        .setApiKey(key.id)
                        .setMinVersion(range.min())
                        .setMaxVersion(range.max())));
    return answer;
  }
}
