package io.rebalancer.it.differential;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.NullableSchema;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/** Requests that are well-formed, and mean anything. */
final class RandomBody {

  private static final List<String> WORDS =
      List.of("", "t", "u", "fuzz", "range", "consumer", "a/b", "..", "é\u0000", "x".repeat(5_000));
  private static final long[] NUMBERS = {
    -1, 0, 1, 2, 3, 1_500, 30_000, 65_536, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE
  };

  private final Random random;
  private final String group;

  /**
   * @param group the group that a Join names: whoever joins alone is answered soon
   */
  RandomBody(Random random, String group) {
    this.random = random;
    this.group = group;
  }

  /** Header and body. */
  ByteBuffer frame(ApiKeys key, int version, int correlation) {
    Schema schema = key.messageType.requestSchemas()[version];
    Struct body = struct(key, schema);
    boolean flexible = key.requestHeaderVersion((short) version) >= 2;
    ByteBuffer frame = ByteBuffer.allocate(10 + (flexible ? 1 : 0) + body.sizeOf());
    frame.putShort(key.id).putShort((short) version).putInt(correlation).putShort((short) -1);
    if (flexible) {
      frame.put((byte) 0);
    }
    body.writeTo(frame);
    return frame.flip();
  }

  private Struct struct(ApiKeys key, Schema schema) {
    Struct struct = new Struct(schema);
    for (BoundField field : schema.fields()) {
      struct.set(field, value(key, field.def.name, field.def.type));
    }
    return struct;
  }

  private Object value(ApiKeys key, String name, Type type) {
    if (key == ApiKeys.JOIN_GROUP && name.equals("group_id")) {
      return random.nextInt(10) == 0 ? "" : group;
    }
    if (key == ApiKeys.FETCH && name.equals("max_wait_ms")) {
      return random.nextInt(100) - 20; // It may be held for as long as it says.
    }
    if (type.isNullable() && random.nextInt(4) == 0) {
      return null;
    }
    if (type.isArray()) {
      Object[] elements = new Object[random.nextInt(4)];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = value(key, "", type.arrayElementType().orElseThrow());
      }
      return elements;
    }
    if (type instanceof TaggedFields) {
      return new TreeMap<Integer, Object>();
    }
    if (type instanceof NullableSchema nullable) {
      return struct(key, nullable);
    }
    if (type instanceof Schema schema) {
      return struct(key, schema);
    }
    return scalar(type.toString());
  }

  private Object scalar(String type) {
    long number =
        random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong();
    if (type.equals("BOOLEAN")) {
      return random.nextBoolean();
    } else if (type.equals("INT8")) {
      return (byte) number;
    } else if (type.equals("INT16")) {
      return (short) number;
    } else if (type.equals("UINT16")) {
      return (int) (number & 0xffff);
    } else if (type.equals("INT32")) {
      return (int) number;
    } else if (type.equals("INT64")) {
      return number;
    } else if (type.equals("UUID")) {
      return new Uuid(number, random.nextInt(3));
    } else if (type.endsWith("STRING")) {
      return WORDS.get(random.nextInt(WORDS.size()));
    } else if (type.endsWith("BYTES")) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      return ByteBuffer.wrap(bytes);
    }
    throw new IllegalArgumentException(type + ": no values for it");
  }
}
