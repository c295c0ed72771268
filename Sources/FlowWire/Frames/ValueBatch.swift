/// Payloads of text values for one stream that stand one behind the other in a buffer.
///
/// Made once and filled again and again: what is done for many values at a time costs a fraction
/// of what it costs for one after the other. The payloads are valid as long as that buffer is.
@safe
public final class ValueBatch {
  /// The most payloads it holds.
  public static let capacity = 1024

  @usableFromInline let payloads: UnsafeMutablePointer<UnsafeRawBufferPointer>
  // Other modules would not know that these are unchecked (memory 6).
  @safe @exclusivity(unchecked) private var filled = (count: 0, largest: 0, bytes: 0)

  /// How many payloads there are.
  public var count: Int { filled.count }
  /// How many bytes the longest payload has.
  public var largest: Int { filled.largest }
  /// How many bytes the payloads have together.
  public var bytes: Int { filled.bytes }

  /// Whether several are given it: then they share the lines made of it.
  @safe @exclusivity(unchecked) public var isShared = false

  @safe @exclusivity(unchecked) private var text: UnsafeMutableRawBufferPointer
  /// The lines that were made last, whichever prefix they have.
  @safe @exclusivity(unchecked) private var lines: UnsafeRawBufferPointer?
  /// The frames as they came in, if each is a payload, what is before it and a line feed.
  @safe @exclusivity(unchecked) private var frames: UnsafeRawBufferPointer?

  /// Makes an empty batch.
  public init() {
    unsafe payloads = .allocate(capacity: Self.capacity)
    text = .allocate(byteCount: 0, alignment: 16)
  }

  deinit {
    unsafe payloads.deallocate()
    unsafe text.deallocate()
  }

  /// All payloads, by their places.
  public var start: UnsafePointer<UnsafeRawBufferPointer> { unsafe UnsafePointer(payloads) }

  /// The payloads with places in `range`.
  public subscript(range: Range<Int>) -> UnsafeBufferPointer<UnsafeRawBufferPointer> {
    unsafe UnsafeBufferPointer(start: payloads + range.lowerBound, count: range.count)
  }

  /// The payload at `place`.
  @inlinable
  public subscript(place: Int) -> UnsafeRawBufferPointer { unsafe payloads[place] }

  /// Where the payload at `place` begins in the buffer in which it stands.
  public func offset(of place: Int, in buffer: UnsafeRawBufferPointer) -> Int {
    guard let base = buffer.baseAddress, let start = unsafe payloads[place].baseAddress else {
      return 0
    }
    return unsafe start - base
  }

  func clear() {
    filled = (0, 0, 0)
    lines = nil
    frames = nil
  }

  /// Fills it with the payloads of the complete frames from `offset` on that begin with the very
  /// bytes of `prefix`, at most `limit`, and moves `offset` behind them.
  ///
  /// It stops before a payload longer than `longest`, and before one with a CR in it, which cannot
  /// go out in a text frame.
  func fill(
    from buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    prefix: UnsafeRawBufferPointer,
    longest: Int,
    limit: Int
  ) {
    clear()
    guard let base = buffer.baseAddress else { return }
    let most = min(limit, Self.capacity)
    var start = offset
    var found = 0
    var sum = 0
    var long = 0
    var isPlain = true
    var returns = unsafe CarriageReturns(in: buffer, from: start)
    while found < most, buffer.count - start > prefix.count {
      guard unsafe Self.begins(base + start, with: prefix) else { break }
      let payload = start + prefix.count
      guard let lineEnd = unsafe lineFeed(in: buffer, from: payload) else { break }
      var end = lineEnd
      if let carriageReturn = returns.first(in: payload..<lineEnd) {
        guard carriageReturn == lineEnd - 1 else { break }
        end = carriageReturn
        isPlain = false
      }
      let length = end - payload
      if length > longest { break }
      unsafe payloads[found] = unsafe UnsafeRawBufferPointer(start: base + payload, count: length)
      found &+= 1
      sum &+= length
      if length > long { long = length }
      start = lineEnd &+ 1
    }
    filled = (found, long, sum)
    if isPlain { frames = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset..<start]) }
    offset = start
  }

  /// Leaves out the payloads from the first on that is a lone `.`; returns how many it keeps.
  func cutAtLoneDot() -> Int {
    guard
      let end = unsafe self[0..<count].firstIndex(where: { unsafe $0.count == 1 && $0[0] == .dot })
    else {
      return count
    }
    let sizes = unsafe self[0..<end].lazy.map(unsafe \.count)
    filled = unsafe (end, sizes.max() ?? 0, sizes.reduce(0, +))
    return end
  }

  @inline(__always)
  private static func begins(
    _ bytes: UnsafeRawPointer,
    with prefix: UnsafeRawBufferPointer
  ) -> Bool {
    var index = 0
    while index < prefix.count {
      if unsafe bytes.load(fromByteOffset: index, as: UInt8.self) != prefix[index] { return false }
      index &+= 1
    }
    return true
  }

  /// All payloads as lines behind `prefix`, if they are there: as they came in, or made before.
  public func readyLines(after prefix: StreamPrefix) -> UnsafeRawBufferPointer? {
    guard count > 0 else { return nil }
    return unsafe prefix.withUnsafeBytes { prefix in
      let needed = bytes + count * (prefix.count + 1)
      func isReady(_ lines: UnsafeRawBufferPointer?) -> Bool {
        guard let lines = unsafe lines, lines.count == needed, let start = lines.baseAddress else {
          return false
        }
        return unsafe Self.begins(start, with: prefix)
      }
      return unsafe isReady(frames) ? frames : isReady(lines) ? lines : nil
    }
  }

  /// All payloads as lines, each behind `prefix`.
  ///
  /// As long as the batch and the prefix are the same, the lines are made only once.
  public func lines(after prefix: StreamPrefix) -> UnsafeRawBufferPointer {
    if let lines = unsafe readyLines(after: prefix) { return unsafe lines }
    return unsafe prefix.withUnsafeBytes { prefix in
      let needed = bytes + count * (prefix.count + 1)
      if text.count < needed {
        unsafe text.deallocate()
        text = .allocate(byteCount: needed, alignment: 16)
      }
      var place = 0
      for index in 0..<count {
        let payload = unsafe self[index]
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[place...]).copyMemory(from: prefix)
        place &+= prefix.count
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[place...]).copyMemory(from: payload)
        place &+= payload.count
        text[place] = .lineFeed
        place &+= 1
      }
      let made = unsafe UnsafeRawBufferPointer(rebasing: text[..<place])
      lines = unsafe made
      return unsafe made
    }
  }
}

extension FrameDecoder {
  /// Takes text values that stand behind the one just taken and are for the same stream.
  ///
  /// `frame` says where the last value's frame begins, and its payload; `batch` is filled with the
  /// payloads, at most `limit`.
  public mutating func next(
    like frame: (start: Int, payload: Int),
    in buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    into batch: ValueBatch,
    limit: Int
  ) {
    // `= ID` alone, the empty value, has no blank to recognise others by.
    let prefix = unsafe UnsafeRawBufferPointer(rebasing: buffer[frame.start..<frame.payload])
    guard unsafe prefix.last == .space else { return batch.clear() }
    unsafe batch.fill(
      from: buffer,
      &offset,
      prefix: prefix,
      longest: Int(shortLine) - prefix.count,
      limit: limit
    )
  }
}
