/// Writes value frames, the same in both directions.
public enum FrameWriter {
  /// Appends `= ID TEXT`, or `: ID LEN` and the payload if it has a CR or LF.
  public static func value(
    _ id: StreamID,
    _ payload: UnsafeRawBufferPointer,
    into output: inout [UInt8]
  ) {
    let prefix = unsafe FramePrefix(id, before: payload)
    output.reserve(prefix.count + payload.count + 1)
    unsafe prefix.withUnsafeBytes { unsafe output.append(contentsOf: $0) }
    unsafe output.append(contentsOf: payload)
    output.append(.lineFeed)
  }

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
