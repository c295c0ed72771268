/// Whether lines of the protocol end inside a FEED, so that the next line belongs to it.
struct OpenFeed {
  private(set) var isOpen = false

  /// Reads lines, each with its LF.
  mutating func read(_ lines: UnsafeRawBufferPointer) {
    let lines = unsafe lines.split(separator: UInt8(ascii: "\n"))
    for index in unsafe lines.indices {
      let line = unsafe lines[index]
      let text = unsafe line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if isOpen {
        isOpen = unsafe !text.elementsEqual([UInt8(ascii: ".")])
      } else {
        isOpen = unsafe Self.isFeed(text)
      }
    }
  }

  /// Whether a line means FEED, well-formed or not.
  private static func isFeed(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let words = unsafe line.prefix(64).split(maxSplits: 2, whereSeparator: isBlank)
    let verb = unsafe words.first { unsafe $0.first != UInt8(ascii: "@") }
    return unsafe verb.map { unsafe String(decoding: $0, as: UTF8.self).uppercased() } == "FEED"
  }
}
