package io.rebalancer.coordinator.group;

import java.util.Arrays;

/** Bytes that members exchange through the coordinator, which does not look into them. */
public final class Opaque {

  private static final Opaque EMPTY = new Opaque(new byte[0]);

  private final byte[] bytes;

  private Opaque(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Opaque empty() {
    return EMPTY;
  }

  public static Opaque copyOf(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new Opaque(bytes.clone());
  }

  public byte[] toBytes() {
    return bytes.clone();
  }

  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Opaque opaque && Arrays.equals(bytes, opaque.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes #" + Integer.toHexString(hashCode());
  }
}
