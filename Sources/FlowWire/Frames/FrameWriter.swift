/// Writes value frames and signals, the same in both directions.
public enum FrameWriter {
  /// Appends a value of a stream: `= ID TEXT`, or `: ID LEN` if the payload has a CR or LF.
  public static func value(
    _ id: StreamID,
    _ payload: UnsafeRawBufferPointer,
    into output: inout [UInt8]
  ) {
    let prefix =
      mustBeCounted(payload) ? FramePrefix(id, counting: payload.count) : FramePrefix(id)
    output.reserveCapacity(output.count + prefix.count + payload.count + 1)
    prefix.withUnsafeBytes { output.append(contentsOf: $0) }
    output.append(contentsOf: payload)
    output.append(.lineFeed)
  }

  /// Says whether a payload has a CR or LF, so that it has to go out as `: ID LEN`.
  @inlinable
  public static func mustBeCounted(_ payload: UnsafeRawBufferPointer) -> Bool {
    // Without an early exit the compiler looks at many octets at once.
    var found = false
    for octet in payload {
      found = found || octet == .lineFeed || octet == .carriageReturn
    }
    return found
  }

  /// Appends `DONE ID`.
  public static func done(_ id: StreamID, into output: inout [UInt8]) {
    ServerLine.done(id).write(into: &output)
  }

  /// Appends `FAIL ID CODE TEXT`; control characters in the text are made visible.
  public static func fail(
    _ id: StreamID,
    code: String,
    text: String,
    into output: inout [UInt8]
  ) {
    ServerLine.fail(id, code: code, text: text).write(into: &output)
  }

  /// Appends `DROP ID COUNT REASON`.
  public static func drop(
    _ id: StreamID,
    count: UInt64,
    reason: String,
    into output: inout [UInt8]
  ) {
    ServerLine.drop(id, count: count, reason: reason).write(into: &output)
  }

  /// Appends `REQ ID N|max`.
  public static func request(_ id: StreamID, _ demand: Demand, into output: inout [UInt8]) {
    ServerLine.request(id, demand).write(into: &output)
  }

  /// Appends `CANCEL ID [REASON]`.
  public static func cancel(_ id: StreamID, reason: String? = nil, into output: inout [UInt8]) {
    ServerLine.cancel(id, reason: reason).write(into: &output)
  }
}
