package io.rebalancer.bridge.cli;

import io.rebalancer.core.model.GroupId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --group}. */
final class GroupOption implements ITypeConverter<GroupId> {

  @Override
  public GroupId convert(String value) {
    try {
      return new GroupId(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
