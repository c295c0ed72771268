/// Splits the input of a `FEED` into lines, each a value, until a lone `.`.
///
/// Feed it the unread bytes, as a `FrameDecoder`. It searches no line twice and keeps no skipped
/// bytes.
public struct FeedDecoder: Sendable {
  /// The next line, as ranges of the buffer.
  @frozen
  public enum Line: Hashable, Sendable {
    /// The buffer ends before the line.
    case incomplete
    /// A line without its line end.
    case value(Range<Int>)
    /// A line longer than a value may be; its bytes are skipped.
    case tooLong
    /// The lone `.` or the end of input.
    case end
  }

  public static let end: [UInt8] = [.dot, .lineFeed]

  @usableFromInline let limit: Int
  /// The number of bytes after the offset known to have no line end.
  @usableFromInline var known = 0
  @usableFromInline var isSkipping = false

  public init(limit: Int = FrameLimits().value) { self.limit = limit }

  /// Reads the next line at `buffer[offset...]` and moves `offset` past it.
  @inlinable
  public mutating func next(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Line {
    while true {
      let start = offset
      guard let lineEnd = unsafe lineFeed(in: buffer, from: start + known) else {
        return unsafe unfinished(buffer, &offset)
      }
      known = 0
      offset = lineEnd + 1
      if isSkipping {
        isSkipping = false
        continue
      }
      let end =
        unsafe lineEnd > start && buffer[lineEnd - 1] == .carriageReturn ? lineEnd - 1 : lineEnd
      if end - start > limit { return .tooLong }
      if end - start == 1, unsafe buffer[start] == 0x2E { return .end }
      return .value(start..<end)
    }
  }

  /// Reads up to `most` complete lines as a batch.
  ///
  /// It reads none if the next line needs `next(_:_:)`.
  public mutating func next(
    _ buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    into batch: ValueBatch,
    limit most: Int
  ) {
    guard known == 0, !isSkipping else { return batch.clear() }
    let start = offset
    let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe batch.fill(from: buffer, &offset, prefix: nothing, longest: limit, limit: most)
    let count = batch.count
    guard batch.cutAtLoneDot() < count else { return }
    // Ends at the dot: the kept payloads and their line ends lead there.
    offset = start
    for _ in 0..<batch.count { offset = unsafe (lineFeed(in: buffer, from: offset) ?? offset) + 1 }
  }

  /// Skips an unfinished line that is too long; one more byte may be the CR of its line end.
  @usableFromInline
  mutating func unfinished(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Line {
    known = buffer.count - offset
    let isTooLong = !isSkipping && known > limit + 1
    if isSkipping || isTooLong {
      isSkipping = true
      known = 0
      offset = buffer.count
    }
    return isTooLong ? .tooLong : .incomplete
  }

  /// Returns the last line of the input, a value even without a line end.
  public func last(_ rest: UnsafeRawBufferPointer) -> Line {
    if unsafe rest.isEmpty || isSkipping || rest.elementsEqual([UInt8.dot]) { return .end }
    return rest.count > limit ? .tooLong : .value(0..<rest.count)
  }
}
