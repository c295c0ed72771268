/// Makes the value of a JSON text.
struct JSONReader {
  private var cursor: JSONCursor

  /// The value `bytes` is the JSON text of, or `nil`.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    guard let cursor = unsafe JSONCursor(bytes) else { return nil }
    let start = unsafe cursor.next
    var reader = JSONReader(cursor: cursor)
    reader.cursor.skipBlanks()
    guard let value = reader.value(inside: 0) else { return nil }
    reader.cursor.skipBlanks()
    return unsafe reader.cursor.isComplete(from: start) ? value : nil
  }

  /// The value of a text that is known to be a JSON value and nothing else.
  static func value(
    from start: UnsafePointer<UInt8>,
    to end: UnsafePointer<UInt8>
  ) -> Value {
    var reader = unsafe JSONReader(cursor: JSONCursor(from: start, to: end))
    return reader.value(inside: 0) ?? .null
  }

  private mutating func value(inside depth: UInt32) -> Value? {
    switch cursor.unit {
    case UInt8(ascii: "\""):
      guard let text = cursor.string() else { return nil }
      cursor.memory += unsafe Extent.memory(ofText: text.end - text.start)
      return .string(text.string)
    case UInt8(ascii: "{"): return object(inside: depth)
    case UInt8(ascii: "["): return array(inside: depth)
    case UInt8(ascii: "t"): return cursor.read(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return cursor.read(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return cursor.read(word: "null") ? .null : nil
    default:
      guard let digits = cursor.number() else { return nil }
      cursor.memory += unsafe Extent.memory(ofText: digits.end - digits.start)
      return digits.value
    }
  }

  private mutating func array(inside depth: UInt32) -> Value? {
    let opening = Opening(&cursor)
    guard cursor.open(inside: depth) else { return nil }
    var elements: [Value] = []
    if cursor.read("]") { return .array(JSONArray(elements)) }
    repeat {
      guard let element = value(inside: depth + 1) else { return nil }
      elements.append(element)
      cursor.skipBlanks()
    } while cursor.comma()
    guard cursor.read("]") else { return nil }
    // Room that an array has and does not use is held all the same.
    cursor.memory += Extent.header + elements.capacity * MemoryLayout<Value>.stride
    return .array(JSONArray(elements, extent: opening.extent(inside: depth, &cursor)))
  }

  private mutating func object(inside depth: UInt32) -> Value? {
    let opening = Opening(&cursor)
    guard cursor.open(inside: depth) else { return nil }
    var members: [JSONObject.Member] = []
    if cursor.read("}") { return .object(JSONObject(members: members)) }
    members.reserveCapacity(8)
    repeat {
      guard let key = cursor.key(), let value = value(inside: depth + 1) else { return nil }
      cursor.memory += unsafe Extent.memory(ofText: key.end - key.start)
      unsafe members.append(JSONObject.Member(name: key.key(before: cursor.end), value: value))
      cursor.skipBlanks()
    } while cursor.comma()
    guard cursor.read("}") else { return nil }
    cursor.memory += Extent.header + members.capacity * MemoryLayout<JSONObject.Member>.stride
    return .object(
      JSONObject(members: members, extent: opening.extent(inside: depth, &cursor))
    )
  }

  /// Where an array or object began, how high the ones before were, and the memory they take.
  @safe  // memory 8
  private struct Opening {
    private let start: UnsafePointer<UInt8>
    private let height: UInt32
    private let memory: Int

    @inline(__always)
    init(_ cursor: inout JSONCursor) {
      unsafe start = unsafe cursor.next
      height = cursor.height
      memory = cursor.memory
      cursor.height = 0
    }

    @inline(__always)
    func extent(inside depth: UInt32, _ cursor: inout JSONCursor) -> Extent {
      let extent = unsafe Extent(
        bytes: cursor.next - start,
        height: Int(cursor.height - depth),
        memory: cursor.memory - memory
      )
      cursor.height = max(height, cursor.height)
      return extent
    }
  }
}

extension JSONCursor.Digits {
  /// An Int, or what is spelled in a way that an Int is not.
  var value: Value {
    let length = unsafe end - start
    if isWhole, length <= 18,
      unsafe start.pointee != UInt8(ascii: "-") || start[1] != UInt8(ascii: "0")
    {
      var number = 0
      let isNegative = unsafe start.pointee == UInt8(ascii: "-")
      for index in (isNegative ? 1 : 0)..<length {
        number = unsafe number &* 10 &+ Int(start[index] & 15)
      }
      return .int(isNegative ? -number : number)
    }
    let text = unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: length),
      as: UTF8.self
    )
    if isWhole, text != "-0", let number = Int(text) { return .int(number) }
    return .number(NumberText(text: text))
  }
}

// MARK: - Strings

extension JSONCursor.Text {
  private var buffer: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: start, count: end - start)
  }

  /// What is meant.
  var string: String {
    unsafe isPlain ? String(decoding: buffer, as: UTF8.self) : unescaped
  }

  /// As a key; bytes up to `limit` can be read.
  func key(before limit: UnsafePointer<UInt8>) -> Key {
    guard isPlain else { return Key(unescaped) }
    return unsafe Key(String(decoding: buffer, as: UTF8.self), tag: tag(before: limit))
  }

  /// The tag that the key has, if it is plain.
  @inline(__always)
  func tag(before limit: UnsafePointer<UInt8>) -> UInt64 {
    let count = unsafe end - start
    var bytes: UInt64 = 0
    if unsafe limit - start >= 8 {
      bytes = unsafe UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
    } else {
      for index in unsafe 0..<(limit - start) {
        unsafe bytes |= UInt64(start[index]) << UInt64(8 * index)
      }
    }
    let mask = ~UInt64(0) >> UInt64(8 * (8 - min(count, 7)))
    return (count == 0 ? 0 : bytes & mask) | UInt64(min(count, 255)) << 56
  }

  private var unescaped: String {
    var units: [UInt8] = []
    unsafe units.reserveCapacity(end - start)
    var next = unsafe start
    while unsafe next < end {
      let unit = unsafe next.pointee
      unsafe next += 1
      guard unit == UInt8(ascii: "\\") else {
        units.append(unit)
        continue
      }
      let escape = unsafe next.pointee
      unsafe next += 1
      switch Unicode.Scalar(escape) {
      case "n": units.append(0x0A)
      case "r": units.append(0x0D)
      case "t": units.append(0x09)
      case "b": units.append(0x08)
      case "f": units.append(0x0C)
      case "u": unsafe units += String(Character(scalar(&next))).utf8
      default: units.append(escape)
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The character of `\u` and of the one behind it if they are a pair; a half alone is U+FFFD.
  private func scalar(_ next: inout UnsafePointer<UInt8>) -> Unicode.Scalar {
    let high = unsafe UInt32(fourDigits(next))
    unsafe next += 4
    guard high & 0xF800 == 0xD800 else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    guard high < 0xDC00, unsafe end - next >= 6, unsafe next[0] == UInt8(ascii: "\\"),
      unsafe next[1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let low = unsafe UInt32(fourDigits(next + 2))
    guard low & 0xFC00 == 0xDC00 else { return "\u{FFFD}" }
    unsafe next += 6
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private func fourDigits(_ digits: UnsafePointer<UInt8>) -> UInt16 {
    (0..<4).reduce(0) { unsafe $0 << 4 | (JSONCursor.hexDigit(digits[$1]) ?? 0) }
  }
}
