import FlowWire

/// Hides the output that control-C has stopped, until the server confirms its end.
struct Silence {
  /// The tag of the PING whose answer follows all stopped output.
  static let tag = "_stop"
  private static let end = "@\(tag) PONG"

  /// The beginnings of the stopped streams' lines; `nil` stops every line and value.
  private let heads: [[UInt8]]?
  /// The number of hidden values.
  private(set) var values = 0
  private var isOver = false

  /// Hides the values of these streams, and all rows.
  init(of streams: [StreamID]) {
    heads = streams.flatMap { id in [Array("= \(id)".utf8), Array(": \(id)".utf8)] }
  }

  private init() { heads = nil }

  /// Hides everything until the connection ends.
  static var ofConnection: Silence { Silence() }

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
    // A dot and a call's number may follow the number of a service's stream.
    let ends = [UInt8(ascii: " "), UInt8(ascii: ".")]
    return line.count == head.count || ends.contains(line[head.count])
  }
}
