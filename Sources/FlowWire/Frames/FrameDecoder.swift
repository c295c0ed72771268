/// Splits one direction of a connection into frames.
///
/// Pass the unread bytes; the next call must repeat those not consumed, followed by new ones. A
/// long line is searched once, and skipped bytes are not kept. An incomplete frame leaves `offset`
/// unchanged, so a frame can be read again by setting the offset back.
public struct FrameDecoder: Sendable {
  // Small integers, because thousands of idle connections have a decoder each.

  /// The number of bytes after the offset known not to complete a frame.
  ///
  /// It is `UInt32.max` while bytes are skipped.
  @usableFromInline var known: UInt32 = 0
  /// Once `known` exceeds it, the line's length is checked.
  @usableFromInline var ceiling: UInt32
  /// The length above which a line must be checked.
  @usableFromInline let shortLine: UInt32
  private let longest: (line: UInt32, value: UInt32, skip: UInt32)
  var skip = Skip.nothing

  public var limits: FrameLimits {
    FrameLimits(line: Int(longest.line), value: Int(longest.value), skip: Int(longest.skip))
  }

  /// The remainder of a refused frame.
  enum Skip {
    case nothing
    case line
    case payload(Int)
    case payloadEnd
    case everything(Framing)
  }

  public init(limits: FrameLimits = FrameLimits()) {
    func small(_ limit: Int) -> UInt32 { UInt32(min(limit, Self.most)) }
    longest = (small(limits.line), small(limits.value), small(limits.skip))
    ceiling = longest.line + 1
    shortLine = min(longest.line, longest.value)
  }

  /// The upper bound of every limit, in bytes.
  private static let most = 1 << 31

  /// Reads the next frame at `buffer[offset...]` and moves `offset` past it.
  ///
  /// Ranges of the frame are offsets in `buffer`. After `.broken`, every call returns `.broken`.
  @inlinable
  public mutating func next(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Frame {
    let start = offset
    guard buffer.count - start > Int(known), let base = buffer.baseAddress else {
      return unsafe known == .max ? resume(buffer, &offset) : .incomplete
    }
    let first = unsafe base.load(fromByteOffset: start, as: UInt8.self)
    if first == .colon { return unsafe countedValue(buffer, &offset) }
    guard let lineEnd = unsafe lineFeed(in: buffer, from: start + Int(known)) else {
      known = UInt32(clamping: buffer.count - start)
      return unsafe known > ceiling ? judge(unfinishedLineIn: buffer, &offset) : .incomplete
    }
    known = 0
    offset = lineEnd + 1
    var end = lineEnd
    if end > start, unsafe base.load(fromByteOffset: end - 1, as: UInt8.self) == .carriageReturn {
      end -= 1
    }
    if end - start > Int(shortLine), let refusal = unsafe judge(line: buffer, start..<end) {
      return refusal
    }
    if first == .equals { return unsafe Self.textValue(base, start, end) }
    if first | 0x20 == 0x73 { return unsafe Self.send(base, start, end) }
    return .line(start..<end)
  }
}

extension FrameDecoder {
  @inlinable @inline(__always)
  static func textValue(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Frame {
    var place = start + 2
    var id: UInt64 = 0
    while place < end {
      let byte = unsafe base.load(fromByteOffset: place, as: UInt8.self)
      guard byte.isDigit else { break }
      id = id &* 10 &+ UInt64(byte &- 0x30)
      place += 1
    }
    let digits = place - start - 2
    guard digits > 0, digits <= 16, id <= 1 << 53,
      unsafe base.load(fromByteOffset: start + 1, as: UInt8.self) == .space
    else { return unsafe malformedValue(base, start, end) }
    if place == end { return .value(id: id, payload: end..<end) }
    guard unsafe base.load(fromByteOffset: place, as: UInt8.self) == .space else {
      return unsafe callValue(base, start, end)
    }
    return .value(id: id, payload: place + 1..<end)
  }

  @usableFromInline @inline(never)
  static func callValue(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Frame {
    let line = unsafe UnsafeRawBufferPointer(start: base, count: end)
    let idEnd = unsafe line[(start + 2)...].firstIndex(of: .space) ?? end
    guard let id = unsafe StreamID(UnsafeRawBufferPointer(rebasing: line[(start + 2)..<idEnd])),
      id.isCall
    else { return unsafe malformedValue(base, start, end) }
    return .callValue(id, payload: min(idEnd + 1, end)..<end)
  }

  /// Reads `SEND NAME TEXT` with single spaces; `TaggedCommand` reads other spellings.
  @inlinable @inline(__always)
  static func send(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Frame {
    let line = Frame.line(start..<end)
    guard end - start >= 7 else { return line }
    let verb = unsafe base.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian
    guard verb | 0x2020_2020 == 0x646E_6573,  // "send"
      unsafe base.load(fromByteOffset: start + 4, as: UInt8.self) == .space,
      unsafe base.load(fromByteOffset: start + 5, as: UInt8.self).beginsName
    else { return line }
    var place = start + 6
    while place < end {
      let byte = unsafe base.load(fromByteOffset: place, as: UInt8.self)
      if byte.continuesName {
        place += 1
      } else if byte == .slash, place + 1 < end,
        unsafe base.load(fromByteOffset: place + 1, as: UInt8.self).beginsLevel
      {
        place += 2
      } else {
        break
      }
    }
    guard place < end, place - start - 5 <= 128,
      unsafe base.load(fromByteOffset: place, as: UInt8.self) == .space
    else { return line }
    return .send(name: start + 5..<place, value: place + 1..<end)
  }
}
