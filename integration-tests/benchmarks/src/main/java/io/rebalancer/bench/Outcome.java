package io.rebalancer.bench;

import java.util.Locale;

/** What came of a cell. */
sealed interface Outcome {

  /** As the tables show it beside the one that it is compared with. */
  String text(Outcome base);

  /** One assignment. */
  record Measured(double millis, double bytes) implements Outcome {

    @Override
    public String text(Outcome base) {
      String text = digits(millis) + " ms, " + digits(bytes / 1e6) + " MB";
      return base != this && base instanceof Measured other
          ? text + ", **" + digits(millis / other.millis) + "x**"
          : text;
    }
  }

  /** Why there is no number. */
  record Unmeasured(String why) implements Outcome {

    @Override
    public String text(Outcome base) {
      return why;
    }
  }

  /** Three digits that count; all of those before the point. */
  private static String digits(double value) {
    int whole = value < 1 ? 0 : (int) Math.log10(value);
    return String.format(Locale.ROOT, "%,." + Math.max(0, 2 - whole) + "f", value);
  }
}
