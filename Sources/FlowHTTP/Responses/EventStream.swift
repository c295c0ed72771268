/// Server-sent events, as browsers read them: https://html.spec.whatwg.org/#server-sent-events.
package enum EventStream {
  /// The headers of a response that is an event stream: proxies must not keep it or wait for its
  /// end.
  package static var headers: [(String, String)] {
    [
      ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
      ("X-Accel-Buffering", "no"),
    ]
  }

  /// Appends an event.
  ///
  /// Each line of `data` becomes a line of its own, which the browser joins again with LF; so a CR
  /// arrives as LF. Data must be UTF-8.
  ///
  /// - Parameters:
  ///   - name: what the browser listens for; nil for `message`. Line breaks in it become spaces, as
  ///     in `id`.
  ///   - id: what the browser sends as Last-Event-ID when it connects again; nil if this event is
  ///     none to go on from.
  ///   - data: the payload.
  ///   - bytes: where the event goes.
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

  /// Appends a comment, which keeps the connection from seeming dead; browsers pass over it.
  package static func comment(_ text: String = "", into bytes: inout [UInt8]) {
    line(": ", text, into: &bytes)
    bytes.append(.lineFeed)
  }

  /// Appends how long the browser is to wait before it connects again.
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
