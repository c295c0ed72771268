/// Server-sent events, as browsers read them: https://html.spec.whatwg.org/#server-sent-events.
package enum EventStream {
  /// The headers of an event stream: proxies must neither store nor buffer it.
  package static var headers: [(String, String)] {
    [
      ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
      ("X-Accel-Buffering", "no"),
    ]
  }

  /// Appends an event of the type `name`, which must be a word.
  ///
  /// Each line of `data`, which must be UTF-8, is sent as a line of its own. The browser joins them
  /// with LF, so a CR arrives as LF.
  package static func event(_ name: String, data: [UInt8], into bytes: inout [UInt8]) {
    bytes += "event: \(name)\n".utf8
    var start = 0
    while true {
      let end = data[start...].firstIndex(where: isLineBreak) ?? data.count
      bytes += "data: ".utf8
      bytes += data[start..<end]
      bytes.append(.lineFeed)
      guard end < data.count else { break }
      let isPair = data[end] == .carriageReturn && data[(end + 1)...].first == .lineFeed
      start = end + (isPair ? 2 : 1)
    }
    bytes.append(.lineFeed)
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool {
    byte == .lineFeed || byte == .carriageReturn
  }
}
