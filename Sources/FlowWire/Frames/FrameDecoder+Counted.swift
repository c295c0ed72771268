extension FrameDecoder {
  /// The longest `: ID LEN`, with room for leading zeros.
  private static let longestHeader = 64

  /// Returns LEN if `line` is a header `: ID LEN`.
  public static func announcedLength(_ line: UnsafeRawBufferPointer) -> Int? {
    guard unsafe line.first == .colon, line.count < longestHeader else { return nil }
    return unsafe counts(in: line)?.length
  }

  /// Reads `: ID LEN`, a line end, LEN bytes and another line end.
  @usableFromInline @inline(never)
  mutating func countedValue(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Frame {
    let start = offset
    let window = unsafe UnsafeRawBufferPointer(
      rebasing: buffer[..<min(buffer.count, start + Self.longestHeader)]
    )
    guard let headerEnd = unsafe lineFeed(in: window, from: start) else {
      if buffer.count - start >= Self.longestHeader { return fail(.badCount) }
      known = UInt32(buffer.count - start)
      return .incomplete
    }
    let header = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<headerEnd])
    guard let (id, length) = unsafe Self.counts(in: header) else { return fail(.badCount) }
    guard length <= limits.skip else { return fail(.countTooLarge(limit: limits.skip)) }
    let payload = headerEnd + 1
    guard let id, length <= limits.value else {
      offset = payload
      known = .max
      skip = .payload(length)
      return unsafe .refused(
        id == nil ? Self.malformedValue(header) : Self.tooLong(length, limits.value),
        start: start
      )
    }
    let end = payload + length
    guard buffer.count > end else { return wait(for: end + 1 - start) }
    if unsafe buffer[end] == .lineFeed {
      offset = end + 1
    } else {
      guard unsafe buffer[end] == .carriageReturn else { return fail(.noLineEnd) }
      guard buffer.count > end + 1 else { return wait(for: end + 2 - start) }
      guard unsafe buffer[end + 1] == .lineFeed else { return fail(.noLineEnd) }
      offset = end + 2
    }
    known = 0
    return id.isCall
      ? .callValue(id, payload: payload..<end) : .value(id: id.rawValue, payload: payload..<end)
  }

  /// Reads `: ID LEN`; the id is `nil` if only the id is malformed.
  private static func counts(in header: UnsafeRawBufferPointer) -> (id: StreamID?, length: Int)? {
    var fields = unsafe header[...]
    if unsafe fields.last == .carriageReturn { unsafe fields.removeLast() }
    guard let space = unsafe fields.lastIndex(of: .space), space > 2, unsafe header[1] == .space
    else {
      return nil
    }
    guard let length = unsafe UInt64(decimal: fields[(space + 1)...]) else { return nil }
    return unsafe (StreamID(fields[2..<space]), Int(clamping: length))
  }

  /// Returns `.incomplete` until `count` bytes are there.
  private mutating func wait(for count: Int) -> Frame {
    known = UInt32(count - 1)
    return .incomplete
  }

  /// Gives up: no later frame can be found.
  mutating func fail(_ reason: Framing) -> Frame {
    known = .max
    skip = .everything(reason)
    return .broken(reason.error)
  }
}
