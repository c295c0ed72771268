/// Server-sent events, as browsers read them: https://html.spec.whatwg.org/#server-sent-events.
package enum EventStream {
  /// The headers of an event stream: proxies must neither store nor buffer it.
  package static var headers: [(String, String)] {
    [
      ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
      ("X-Accel-Buffering", "no"),
    ]
  }

  /// Appends an event.
  ///
  /// Each line of `data`, which must be UTF-8, is sent as a line of its own. The browser joins them
  /// with LF, so a CR arrives as LF.
  ///
  /// - Parameters:
  ///   - name: the event's type; nil for `message`. Line breaks become spaces, also in `id`.
  ///   - id: the Last-Event-ID that the browser sends on reconnecting; nil for none.
  ///   - data: the payload.
  ///   - bytes: the output.
  package static func event(
    _ name: String? = nil,
    id: String? = nil,
    data: [UInt8],
    into bytes: inout [UInt8]
  ) {
    if let name { line("event: ", name, into: &bytes) }
    if let id { line("id: ", id, into: &bytes) }
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

  /// Appends a comment, which browsers ignore, to keep the connection alive.
  package static func comment(_ text: String = "", into bytes: inout [UInt8]) {
    line(": ", text, into: &bytes)
    bytes.append(.lineFeed)
  }

  /// Appends the delay before the browser reconnects.
  package static func retry(milliseconds: Int, into bytes: inout [UInt8]) {
    line("retry: ", String(milliseconds), into: &bytes)
    bytes.append(.lineFeed)
  }

  private static func line(_ field: String, _ text: String, into bytes: inout [UInt8]) {
    bytes += field.utf8
    bytes += text.utf8.lazy.map { isLineBreak($0) || $0 == 0 ? .space : $0 }
    bytes.append(.lineFeed)
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool {
    byte == .lineFeed || byte == .carriageReturn
  }
}
