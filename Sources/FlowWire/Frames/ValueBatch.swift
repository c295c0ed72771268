/// The payloads of consecutive text values of one stream in a buffer.
///
/// It is reused, because handling many values at a time costs a fraction of handling each. The
/// payloads are valid as long as the buffer.
@safe
public final class ValueBatch {
  public static let capacity = 1024

  @usableFromInline let payloads: UnsafeMutablePointer<UnsafeRawBufferPointer>
  // Without `unchecked`, other modules would check exclusivity at run time (memory 6).
  @safe @exclusivity(unchecked) private var filled = (count: 0, largest: 0, bytes: 0)

  public var count: Int { filled.count }
  /// The size of the longest payload, in bytes.
  public var largest: Int { filled.largest }
  /// The size of all payloads, in bytes.
  public var bytes: Int { filled.bytes }

  /// Whether several receivers get it and share its lines.
  @safe @exclusivity(unchecked) public var isShared = false

  @safe @exclusivity(unchecked) private var text: UnsafeMutableRawBufferPointer
  /// The last lines made, with any prefix.
  @safe @exclusivity(unchecked) private var lines: UnsafeRawBufferPointer?
  /// The frames as received, if each consists of a prefix, a payload and a line feed.
  @safe @exclusivity(unchecked) private var frames: UnsafeRawBufferPointer?

  public init() {
    unsafe payloads = .allocate(capacity: Self.capacity)
    text = .allocate(byteCount: 0, alignment: 16)
  }

  deinit {
    unsafe payloads.deallocate()
    unsafe text.deallocate()
  }

  public var start: UnsafePointer<UnsafeRawBufferPointer> { unsafe UnsafePointer(payloads) }

  public subscript(range: Range<Int>) -> UnsafeBufferPointer<UnsafeRawBufferPointer> {
    unsafe UnsafeBufferPointer(start: payloads + range.lowerBound, count: range.count)
  }

  @inlinable
  public subscript(place: Int) -> UnsafeRawBufferPointer { unsafe payloads[place] }

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

  /// Fills the batch from complete frames that begin with `prefix`, and moves `offset` past them.
  ///
  /// It reads at most `limit` frames. It stops before a payload longer than `longest` and before
  /// one with a CR, which cannot go out in a text frame.
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

  /// Drops the payloads from the first lone `.` on; returns how many remain.
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

  /// The lines with `prefix`, if they exist: as received, or made before.
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

  /// The lines with `prefix`, made once per batch and prefix.
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
  /// Reads the following text values of the same stream into `batch`, at most `limit`.
  ///
  /// `frame` gives the offsets of the last value's frame and of its payload.
  public mutating func next(
    like frame: (start: Int, payload: Int),
    in buffer: UnsafeRawBufferPointer,
    _ offset: inout Int,
    into batch: ValueBatch,
    limit: Int
  ) {
    // The empty value `= ID` has no blank, so its prefix cannot be matched.
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
