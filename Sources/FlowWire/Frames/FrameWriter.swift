/// Writes value frames and signals, the same in both directions.
public enum FrameWriter {
  /// Appends a value of a stream: `= ID TEXT`, or `: ID LEN` if the payload has a CR or LF.
  public static func value(
    _ id: StreamID,
    _ payload: UnsafeRawBufferPointer,
    into output: inout [UInt8]
  ) {
    let prefix =
      unsafe mustBeCounted(payload) ? FramePrefix(id, counting: payload.count) : FramePrefix(id)
    output.reserve(prefix.count + payload.count + 1)
    unsafe prefix.withUnsafeBytes { unsafe output.append(contentsOf: $0) }
    unsafe output.append(contentsOf: payload)
    output.append(.lineFeed)
  }

  /// Says whether a payload has a CR or LF, so that it has to go out as `: ID LEN`.
  public static func mustBeCounted(_ payload: UnsafeRawBufferPointer) -> Bool {
    unsafe containsLineEnd(payload)
  }

  /// Appends `DONE ID`.
  public static func done(_ id: StreamID, into output: inout [UInt8]) {
    output.append("DONE ", id)
    output.append(.lineFeed)
  }

  /// Appends `FAIL ID CODE TEXT`; control characters in the text are made visible.
  public static func fail(
    _ id: StreamID,
    code: String,
    text: String,
    into output: inout [UInt8]
  ) {
    output.append("FAIL ", id)
    output.append(field: code)
    if !text.isEmpty { output.append(field: text) }
    output.append(.lineFeed)
  }

  /// Appends `DROP ID COUNT REASON`.
  public static func drop(
    _ id: StreamID,
    count: UInt64,
    reason: String,
    into output: inout [UInt8]
  ) {
    output.append("DROP ", id)
    output.append(" ", count)
    output.append(field: reason)
    output.append(.lineFeed)
  }

  /// Appends `REQ ID N|max`.
  public static func request(_ id: StreamID, _ demand: Demand, into output: inout [UInt8]) {
    output.append("REQ ", id)
    if let count = demand.max { output.append(" ", count) } else { output.append(field: "max") }
    output.append(.lineFeed)
  }

  /// Appends `CANCEL ID [REASON]`.
  public static func cancel(_ id: StreamID, reason: String? = nil, into output: inout [UInt8]) {
    output.append("CANCEL ", id)
    if let reason { output.append(field: reason) }
    output.append(.lineFeed)
  }

  /// A text as it may stand on a line, or before people: what they would not see, and what a
  /// terminal would obey, is made visible as `\n`, `\r`, `\xNN` or `\u{NNNN}`.
  public static func oneLine(_ text: String) -> String { escaped(text) }
}

extension [UInt8] {
  /// Makes room for `count` more, growing as `append` does.
  fileprivate mutating func reserve(_ count: Int) {
    let needed = self.count + count
    if needed > capacity { reserveCapacity(Swift.max(needed, capacity * 2)) }
  }

  fileprivate mutating func append(_ word: StaticString, _ number: UInt64) {
    unsafe append(
      contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    )
    unsafe withDecimalDigits(of: number) { unsafe append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ word: StaticString, _ id: StreamID) {
    append(word, id.rawValue)
    if id.isCall { append(".", id.call) }
  }

  /// A blank and a text.
  fileprivate mutating func append(field text: String) {
    append(.space)
    append(contentsOf: escaped(text).utf8)
  }
}
