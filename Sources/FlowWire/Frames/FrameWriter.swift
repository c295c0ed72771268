/// Writes value frames, the same in both directions.
public enum FrameWriter {
  /// Appends `= ID TEXT`, or `: ID LEN` and the payload if it has a CR or LF.
  public static func value(
    _ id: StreamID,
    _ payload: UnsafeRawBufferPointer,
    into output: inout [UInt8]
  ) {
    output.reserve(longestHead + payload.count + 1)
    unsafe head(id, payload, into: &output)
    unsafe output.append(contentsOf: payload)
    output.append(.lineFeed)
  }

  /// Appends the bytes before a payload: `= ID `, or `: ID LEN` and a line end.
  public static func head(
    _ id: StreamID,
    _ payload: UnsafeRawBufferPointer,
    into output: inout [UInt8]
  ) {
    guard unsafe containsLineEnd(payload) else {
      output.append("= ", id)
      return output.append(.space)
    }
    output.append(": ", id)
    output.append(" ", UInt64(payload.count))
    output.append(.lineFeed)
  }

  /// The longest head, in bytes.
  private static let longestHead = 48

  /// Escapes invisible characters and terminal controls as `\n`, `\r`, `\xNN` or `\u{NNNN}`.
  public static func oneLine(_ text: String) -> String { escaped(text) }
}

extension [UInt8] {
  /// Reserves `count` more bytes, growing as `append` does.
  fileprivate mutating func reserve(_ count: Int) {
    let needed = self.count + count
    if needed > capacity { reserveCapacity(Swift.max(needed, capacity * 2)) }
  }
}
