package io.rebalancer.bridge.cli;

import io.rebalancer.coordinator.HostPort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code HOST:PORT[,HOST:PORT...]}. */
final class BootstrapOption implements ITypeConverter<String> {

  @Override
  public String convert(String value) {
    for (String server : value.split(",", -1)) {
      try {
        if (HostPort.parse(server).port() == 0) {
          throw new IllegalArgumentException("port 0");
        }
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("\"" + value + "\" (expected: HOST:PORT[,HOST:PORT...])");
      }
    }
    return value;
  }
}
