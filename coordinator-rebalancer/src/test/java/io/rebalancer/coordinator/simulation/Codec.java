package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.Opaque;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Bytes for what members tell each other: equal values have equal bytes. */
final class Codec {

  private final Map<Object, Opaque> bytes = new HashMap<>();
  private final Map<Opaque, Object> values = new HashMap<>();

  Opaque encode(Object value) {
    return bytes.computeIfAbsent(
        value,
        v -> {
          Opaque made =
              Opaque.copyOf(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.size() + 1).array());
          values.put(made, v);
          return made;
        });
  }

  <T> T decode(Opaque from, Class<T> type) {
    return type.cast(values.get(from));
  }
}
