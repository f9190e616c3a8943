package io.rebalancer.bridge.runtime;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** What this machine is and allows. */
public final class Machine {

  private Machine() {}

  /** Files and sockets this process may have open at once; empty where the system does not say. */
  public static OptionalLong maxOpenFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? OptionalLong.of(unix.getMaxFileDescriptorCount())
        : OptionalLong.empty();
  }

  /** Runnable processes over the last minute; negative where the system does not say. */
  public static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Physical memory; 0 where the system does not say. */
  public static long memoryMiB() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize() >> 20
        : 0;
  }

  public static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  public static String operatingSystem() {
    return System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + " "
        + System.getProperty("os.arch");
  }

  public static String java() {
    return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
  }
}
