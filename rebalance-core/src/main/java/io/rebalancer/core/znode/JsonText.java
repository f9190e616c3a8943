package io.rebalancer.core.znode;

/** Text inside a JSON string as the originals escape it (kafka 0.8.2-1.1, JSONEscapeString). */
final class JsonText {

  private JsonText() {}

  /**
   * One pass: what 0.8.2 to 1.0.0 write, and all of 0.8.2 to 1.1 read right. 1.0.1 to 1.1.1
   * themselves escape a key twice, and so register a wildcard with a backslash that matches nothing
   * (D12).
   */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\', '/' -> escaped.append('\\').append(c);
        case '\b' -> escaped.append("\\b");
        case '\f' -> escaped.append("\\f");
        case '\n' -> escaped.append("\\n");
        case '\r' -> escaped.append("\\r");
        case '\t' -> escaped.append("\\t");
        default -> {
          if (c <= 0x1f || (c >= 0x7f && c <= 0x9f)) {
            escaped.append("\\u%04x".formatted((int) c));
          } else {
            escaped.append(c);
          }
        }
      }
    }
    return escaped.toString();
  }
}
