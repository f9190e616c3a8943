package io.rebalancer.bridge.cli;

import io.rebalancer.bridge.zookeeper.ConnectString;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --zookeeper}. */
final class ZooKeeperOption implements ITypeConverter<ConnectString> {

  @Override
  public ConnectString convert(String value) {
    try {
      return ConnectString.parse(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
