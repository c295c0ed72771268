/// A file of the journal that has a number.
package struct Segment: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// Batches are written to it.
    case head
    /// Nothing is written to it but its footer.
    case sealed
    /// Its live values are being copied into another segment.
    case copying
    /// Nothing in it is needed; its file is becoming a spare one.
    case recycling
  }

  package var header: SegmentHeader
  /// The name of the file, which damage may have changed.
  package var file: String
  package var phase: Phase
  /// The offset behind the last batch.
  package var end: Int
  package var lastBatch: UInt64
  package var chain: UInt32
  package var summary = SegmentSummary()
  /// The number of values that are still needed.
  package var live = 0
  /// The number of reads under way; the file must stay as it is.
  package var readers = 0
  package var hasFooter = false
  /// Whether a footer cannot be written, so that the index stays in memory.
  package var isFooterless = false

  package var number: UInt64 { header.number }

  /// The bytes of the records that are still needed, if all are equally large.
  var liveBytes: Int {
    summary.values == 0 ? 0 : summary.bytes / summary.values * live + summary.bytes % summary.values
  }

  static func fileName(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + ".seg"
  }

  /// The number of a spare file.
  static func spareNumber(ofFile name: String) -> Int? {
    guard name.hasPrefix("free-"), let number = Int(name.dropFirst(5)) else { return nil }
    return number >= 0 && "free-\(number)" == name ? number : nil
  }

  /// The number in a segment file's name.
  static func number(ofFile name: String) -> UInt64? {
    guard name.hasSuffix(".seg"), name.utf8.count == 20 else { return nil }
    guard let number = UInt64(name.dropLast(4), radix: 16), number > 0 else { return nil }
    return fileName(number) == name ? number : nil
  }
}
