/// Cuts one direction of a connection into frames, as bytes come in.
///
/// Feed it what is unread; what it has not taken must be there again, with what came since, at the
/// next call. It remembers how far it has looked, so a long line is never searched twice, and what
/// it skips is never kept. Until a frame is complete nothing of it is taken, so the bytes of a
/// frame are those between the offset before and the offset after: to take a frame again later,
/// set the offset back.
public struct FrameDecoder: Sendable {
  // Small numbers, since each of thousands of idle connections has a decoder.

  /// How many bytes from the offset on are known not to complete a frame.
  ///
  /// No need to look again before there are more. `UInt32.max` while something is skipped.
  @usableFromInline var known: UInt32 = 0
  /// When `known` passes it, the line has to be judged.
  @usableFromInline var ceiling: UInt32
  /// A longer line has to be judged.
  @usableFromInline let shortLine: UInt32
  private let longest: (line: UInt32, value: UInt32, skip: UInt32)
  var skip = Skip.nothing

  /// What a frame may take.
  public var limits: FrameLimits {
    FrameLimits(line: Int(longest.line), value: Int(longest.value), skip: Int(longest.skip))
  }

  /// What is left of a frame that was refused.
  enum Skip {
    case nothing
    case line
    case payload(Int)
    case payloadEnd
    case everything(Framing)
  }

  /// Makes a decoder for the input of one connection.
  public init(limits: FrameLimits = FrameLimits()) {
    func small(_ limit: Int) -> UInt32 { UInt32(min(limit, Self.most)) }
    longest = (small(limits.line), small(limits.value), small(limits.skip))
    ceiling = longest.line + 1
    shortLine = min(longest.line, longest.value)
  }

  /// No frame may take more.
  private static let most = 1 << 31

  /// Takes the next frame from `buffer[offset...]` and moves `offset` past it.
  ///
  /// Places in the frame are offsets in `buffer`. After `.broken` every call says the same.
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
  /// Reads `= ID TEXT`.
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

  /// Reads `= ID.CALL TEXT`.
  @usableFromInline @inline(never)
  static func callValue(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Frame {
    let line = unsafe UnsafeRawBufferPointer(start: base, count: end)
    let idEnd = unsafe line[(start + 2)...].firstIndex(of: .space) ?? end
    guard let id = unsafe StreamID(UnsafeRawBufferPointer(rebasing: line[(start + 2)..<idEnd])),
      id.isCall
    else { return unsafe malformedValue(base, start, end) }
    return .callValue(id, payload: min(idEnd + 1, end)..<end)
  }

  /// Reads `SEND NAME TEXT` with single spaces; anything else is left to `TaggedCommand`.
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
