import FlowWire

/// A line that only asks for values: `+` one, `5+` five, `*` all, `2:5+` five of stream 2.
struct DemandKeys: Equatable {
  /// The stream; `nil` is the one that was opened last.
  let stream: StreamID?
  /// The number of values; `nil` is all.
  let count: UInt64?

  /// Reads what stands in a line and the sign that ends it; nil if that means something else.
  init?(_ typed: String, _ sign: Unicode.Scalar) {
    guard sign == "+" || sign == "*" else { return nil }
    let parts = typed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, typed.utf8.allSatisfy({ 0x30...0x3A ~= $0 }) else { return nil }
    if parts.count > 1 {
      guard let number = UInt64(parts[0]), 1...StreamID.largest ~= number else { return nil }
      stream = StreamID(rawValue: number)
    } else {
      stream = nil
    }
    guard sign == "+" else {
      guard last.isEmpty else { return nil }
      count = nil
      return
    }
    let number = last.isEmpty ? 1 : UInt64(last)
    guard let number, number > 0 else { return nil }
    count = number
  }
}
