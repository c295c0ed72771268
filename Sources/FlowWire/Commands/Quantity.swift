/// Times and sizes with a unit.
public enum Quantity {
  /// Parses `250ms`, `5s` or `2m` into nanoseconds, saturating.
  public static func duration(_ text: Substring) -> Int64? {
    quantity(text, units: [("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)])
  }

  /// Formats nanoseconds in whole milliseconds or seconds, as `duration(_:)` reads them.
  package static func text(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }

  /// Parses `500`, `64KiB`, `64k` or `1MiB` into bytes, saturating.
  public static func size(_ text: Substring) -> Int64? {
    quantity(text, units: sizes)
  }

  private static let sizes: [(name: String, factor: Int64)] = [
    ("KiB", 1 << 10), ("K", 1 << 10), ("k", 1 << 10), ("MiB", 1 << 20), ("M", 1 << 20),
    ("m", 1 << 20), ("GiB", 1 << 30), ("G", 1 << 30), ("g", 1 << 30), ("", 1),
  ]

  /// Formats bytes as `64KiB` or `5000`, as `size(_:)` reads them.
  package static func spelled(bytes: Int64) -> String {
    let units: [(String, Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    for (name, factor) in units where bytes > 0 && bytes % factor == 0 {
      return "\(bytes / factor)\(name)"
    }
    return "\(bytes)"
  }

  private static func quantity(_ text: Substring, units: [(name: String, factor: Int64)]) -> Int64?
  {
    for unit in units where text.hasSuffix(unit.name) {
      guard let count = UInt64(decimal: text.utf8.dropLast(unit.name.utf8.count)) else { continue }
      let (product, overflow) = Int64(clamping: count).multipliedReportingOverflow(by: unit.factor)
      return overflow ? .max : product
    }
    return nil
  }
}
