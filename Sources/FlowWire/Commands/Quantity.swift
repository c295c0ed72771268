/// Numbers of the protocol with a unit behind them: times and sizes.
public enum Quantity {
  /// Nanoseconds of `250ms`, `5s` or `2m`, saturating.
  public static func duration(_ text: Substring) -> Int64? {
    quantity(text, units: [("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)])
  }

  /// A time in nanoseconds as `250ms` or `5s`, in whole milliseconds, which `duration(_:)` reads.
  static func text(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }

  /// Bytes of `500`, `64KiB` or `1MiB`, saturating.
  public static func size(_ text: Substring) -> Int64? {
    quantity(text, units: [("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("", 1)])
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
