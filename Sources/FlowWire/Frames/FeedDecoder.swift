/// Cuts the input of a `FEED` into lines, each of which is a value, until a lone `.`.
///
/// Feed it what is unread, as a `FrameDecoder`: no line is searched twice, and what is skipped is
/// never kept.
public struct FeedDecoder: Sendable {
  /// What stands next in the input, as places in the buffer.
  @frozen
  public enum Line: Hashable, Sendable {
    /// The buffer ends before the line does.
    case incomplete
    /// A line without its line end.
    case value(Range<Int>)
    /// A line that is longer than a value may be; it is skipped.
    case tooLong
    /// The lone `.`, or no more input.
    case end
  }

  /// The line that ends a FEED.
  public static let end: [UInt8] = [.dot, .lineFeed]

  @usableFromInline let limit: Int
  /// How many bytes from the offset on are known to have no line end.
  @usableFromInline var known = 0
  @usableFromInline var isSkipping = false

  /// Makes a decoder for lines of at most `limit` bytes.
  public init(limit: Int = FrameLimits().value) { self.limit = limit }

  /// Takes the next line from `buffer[offset...]` and moves `offset` past it.
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

  /// Takes lines that stand here complete, at most `most`, as a batch.
  ///
  /// It takes none where there is more to say about the next one: `next` does.
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
    // The dot is where the kept payloads and their line ends are over.
    offset = start
    for _ in 0..<batch.count { offset = unsafe (lineFeed(in: buffer, from: offset) ?? offset) + 1 }
  }

  /// One byte more than allowed may be a CR that belongs to the line end.
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

  /// What the input ends with: a line that has no line end is a value all the same.
  public func last(_ rest: UnsafeRawBufferPointer) -> Line {
    if unsafe rest.isEmpty || isSkipping || rest.elementsEqual([UInt8.dot]) { return .end }
    return rest.count > limit ? .tooLong : .value(0..<rest.count)
  }
}
