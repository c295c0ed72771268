/// Tracks whether protocol lines end inside a FEED, which the next line belongs to.
struct OpenFeed {
  private(set) var isOpen = false

  mutating func read(_ lines: some BidirectionalCollection<UInt8>) {
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      isOpen = isOpen ? !text.elementsEqual([UInt8(ascii: ".")]) : Self.isFeed(text)
    }
  }

  /// Whether a line is FEED, well-formed or not.
  private static func isFeed(_ line: some Collection<UInt8>) -> Bool {
    let words = line.prefix(64).split(maxSplits: 2) { $0 == UInt8(ascii: " ") || $0 == 9 }
    let verb = words.first { $0.first != UInt8(ascii: "@") }
    return verb.map { String(decoding: $0, as: UTF8.self).uppercased() } == "FEED"
  }
}
