import FlowWire

/// Hides the output that control-C has stopped, until the server has confirmed the end of it.
struct Silence {
  /// The tag of the PING whose answer comes behind all stopped output.
  static let tag = "_stop"
  private static let end = "@\(tag) PONG"

  /// The heads of the lines of the stopped streams; `nil` stops every line and value.
  private let heads: [[UInt8]]?
  /// The number of values that came and were not shown.
  private(set) var values = 0
  private var isOver = false

  /// Stops the values of these streams, and all rows.
  init(of streams: [StreamID]) {
    heads = streams.flatMap { id in [Array("= \(id)".utf8), Array(": \(id)".utf8)] }
  }

  private init() { heads = nil }

  /// Hides everything that comes until the connection ends.
  static var ofConnection: Silence { Silence() }

  /// Whether to hide `item`.
  mutating func drops(_ item: ReplInbox.Item) -> Bool {
    if isOver { return false }
    switch item {
    case .value(let line, _):
      guard heads?.contains(where: { Self.begins(line, with: $0) }) ?? true else { return false }
      values += 1
      return true
    case .line(let text):
      guard heads != nil else { return true }
      isOver = text == Self.end
      return text.hasPrefix("* ")
    case .trace(let text, let isInput):
      return isInput && (text.hasPrefix("= ") || text.hasPrefix(": ") || text.hasPrefix("* "))
    case .ended: return false
    }
  }

  private static func begins(_ line: [UInt8], with head: [UInt8]) -> Bool {
    guard line.starts(with: head) else { return false }
    // Behind the number of a worker there is a point, and the number of a call.
    let ends = [UInt8(ascii: " "), UInt8(ascii: ".")]
    return line.count == head.count || ends.contains(line[head.count])
  }
}
