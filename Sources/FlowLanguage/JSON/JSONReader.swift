/// Makes the value of a JSON text.
struct JSONReader {
  private var cursor: JSONCursor

  /// The value `bytes` is the JSON text of, or `nil`.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
    guard let start = bytes.baseAddress else { return nil }
    let grammar = unsafe JSONGrammar(end: start + bytes.count)
    var reader = unsafe JSONReader(cursor: JSONCursor(from: start, to: grammar.end))
    reader.cursor.skipBlanks()
    guard let value = reader.value(inside: 0) else { return nil }
    reader.cursor.skipBlanks()
    return unsafe reader.cursor.next == grammar.end && grammar.isUTF8(from: start) ? value : nil
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
  private var text: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: start, count: end - start)
  }

  /// An Int, or what is spelled in a way that an Int is not.
  var value: Value {
    if isWhole, significant <= 17, mantissa > 0 || !isNegative { return .int(int) }
    let text = unsafe String(decoding: text, as: UTF8.self)
    if isWhole, text != "-0", let number = Int(text) { return .int(number) }
    return .number(NumberText(text: text))
  }

  private var int: Int {
    let number = Int(truncatingIfNeeded: mantissa)
    return isNegative ? -number : number
  }

  /// An Int if it is a whole number that fits, or else the nearest Double.
  var computed: Value {
    if isWhole, significant <= 18 { return .int(int) }
    if unsafe exponent == nil, significant <= 15, scale >= -22 {
      return .double(double(scale))
    }
    return hardlyComputed
  }

  // Both factors are exact, so the quotient or product is the nearest Double:
  // W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990.
  @inline(__always)
  private func double(_ scale: Int) -> Double {
    let power = Self.powers[abs(scale)]
    let number = scale < 0 ? Double(mantissa) / power : Double(mantissa) * power
    return isNegative ? -number : number
  }

  private var hardlyComputed: Value {
    if let exponent = unsafe exponent {
      let digits = unsafe UnsafeBufferPointer(start: exponent, count: end - exponent)
      if let power = unsafe Int(String(decoding: digits, as: UTF8.self)), significant <= 15,
        power.magnitude < 100, abs(scale + power) <= 22
      {
        return .double(double(scale + power))
      }
    }
    let text = unsafe String(decoding: text, as: UTF8.self)
    if isWhole, let number = Int(text) { return .int(number) }
    return .double(Double(text) ?? .nan)
  }

  private static let powers: InlineArray<23, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
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

  /// The tag that the key has, if it is plain; bytes up to `limit` can be read.
  @inline(__always)
  func tag(before limit: UnsafePointer<UInt8>) -> UInt64 {
    let count = unsafe end - start
    var bytes: UInt64 = 0
    if unsafe limit - start >= 8 {
      bytes = unsafe UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
    } else {
      for index in 0..<count { unsafe bytes |= UInt64(start[index]) &<< UInt64(8 &* index) }
    }
    let mask = (1 &<< UInt64(8 &* min(count, 7))) &- 1
    return bytes & mask | UInt64(min(count, 255)) &<< 56
  }

  /// Whether it is `key`, whose tag it has.
  @inline(__always)
  func isSame(as key: Key) -> Bool { key.isShort || isSame(asLong: key.text) }

  @inline(never)
  private func isSame(asLong text: String) -> Bool {
    guard isPlain else { return unescaped.isSame(as: text) }
    return unsafe text.withBytes { text in
      unsafe text.count == buffer.count
        && commonPrefix(UnsafeRawBufferPointer(buffer), text) == text.count
    }
  }

  /// The tag of the key that is meant; bytes up to `limit` can be read.
  @inline(__always)
  func keyTag(before limit: UnsafePointer<UInt8>) -> UInt64 {
    unsafe isPlain ? tag(before: limit) : Key(unescaped).tag
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
