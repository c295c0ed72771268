/// Writes compact JSON.
@safe  // memory 8
struct JSONWriter: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0
  /// Whether `start` is ours to free.
  private var isOwner = false

  /// Gives the text of `value`, for as long as `body` runs.
  static func withText(of value: Value, _ body: (UnsafeRawBufferPointer) -> Void) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
      guard let start = buffer.baseAddress else {
        return unsafe body(UnsafeRawBufferPointer(buffer))
      }
      var writer = unsafe JSONWriter(start: start, capacity: buffer.count)
      writer.write(value)
      return unsafe body(UnsafeRawBufferPointer(start: writer.start, count: writer.count))
    }
  }

  private init(start: UnsafeMutablePointer<UInt8>, capacity: Int) {
    unsafe self.start = unsafe start
    self.capacity = capacity
  }

  deinit { if isOwner { unsafe start.deallocate() } }

  /// Makes room for `more` bytes.
  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(by: more) }
  }

  private mutating func grow(by more: Int) {
    capacity = max(2 * capacity, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe larger.update(from: start, count: count)
    if isOwner { unsafe start.deallocate() }
    unsafe start = unsafe larger
    isOwner = true
  }

  /// Writes a byte for which there is room.
  @inline(__always)
  private mutating func put(_ unit: UInt8) {
    unsafe start[count] = unit
    count += 1
  }

  /// Writes the first bytes of eight for which there is room.
  @inline(__always)
  private mutating func put(_ eight: UInt64, _ length: Int) {
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: eight, as: UInt64.self)
    count += length
  }

  @inline(__always)
  private mutating func append(_ unit: Unicode.Scalar) {
    reserve(1)
    put(UInt8(truncatingIfNeeded: unit.value))
  }

  private mutating func append(_ units: UnsafeBufferPointer<UInt8>) {
    guard let source = units.baseAddress else { return }
    reserve(units.count)
    unsafe (start + count).update(from: source, count: units.count)
    count += units.count
  }

  private mutating func append(_ text: String) {
    if unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe append($0) }) == nil {
      unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe append($0) }
    }
  }

  private mutating func append(_ word: StaticString) {
    unsafe append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func write(_ value: Value) {
    switch value {
    case .null: append("null" as StaticString)
    case .bool(let flag): append(flag ? "true" as StaticString : "false")
    case .int(let number): write(number)
    case .double(let number): write(number)
    case .number(let number): append(number.text)
    case .string(let text): write(text)
    case .array(let array): write(array)
    case .object(let object): write(object)
    case .raw(let raw):
      // Inside another value even a bare word has to be JSON.
      if raw.height > 0 {
        unsafe raw.bytes.withUnsafeBufferPointer { unsafe append($0) }
      } else {
        write(raw.value)
      }
    }
  }

  private mutating func write(_ array: JSONArray) {
    append("[")
    unsafe array.elements.withUnsafeBufferPointer { elements in
      for index in elements.indices {
        if index > 0 { append(",") }
        unsafe write(elements[index])
      }
    }
    append("]")
  }

  private mutating func write(_ object: JSONObject) {
    append("{")
    unsafe object.members.withUnsafeBufferPointer { members in
      for index in members.indices {
        if index > 0 { append(",") }
        if unsafe !write(shortKey: members[index].name.tag) {
          unsafe write(members[index].name.text)
        }
        append(":")
        unsafe write(members[index].value)
      }
    }
    append("}")
  }

  private mutating func write(_ number: Int) {
    reserve(20)
    if number < 0 { put(UInt8(ascii: "-")) }
    putDigits(of: number.magnitude)
  }

  private mutating func write(_ number: Double) {
    if writeShort(number) { return }
    append(number.isFinite ? number.description : "null")
  }

  /// Writes a number of at most six decimals as its description is; false if it is another one.
  ///
  /// A number with so few digits that is nearest to `number` is the only one of its length, and the
  /// shortest once it has no zeros at its end.
  private mutating func writeShort(_ number: Double) -> Bool {
    let magnitude = number.magnitude
    guard magnitude >= 0.001, magnitude < 1e9 else { return false }
    var decimals = UInt64(magnitude * 1e6 + 0.5)
    guard Double(decimals) / 1e6 == magnitude else { return false }
    let whole = decimals / 1_000_000
    decimals %= 1_000_000
    var length = 6
    while length > 1, decimals % 10 == 0 {
      decimals /= 10
      length -= 1
    }
    reserve(24)
    if number < 0 { put(UInt8(ascii: "-")) }
    putDigits(of: UInt(whole))
    put(UInt8(ascii: "."))
    putDigits(of: UInt(decimals), atLeast: length)
    return true
  }

  /// Writes digits for which there is room, `length` of them if need be with zeros before.
  @inline(__always)
  private mutating func putDigits(of number: UInt, atLeast length: Int = 1) {
    var (digits, rest) = (1, number / 10)
    while rest > 0 || digits < length {
      rest /= 10
      digits += 1
    }
    rest = number
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      unsafe start[place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
      rest /= 10
    }
    count += digits
  }

  private mutating func write(_ text: String) {
    if unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe write($0) }) == nil {
      unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe write($0) }
    }
  }

  /// Writes a string.
  private mutating func write(_ units: UnsafeBufferPointer<UInt8>) {
    reserve(6 * units.count + 2)
    put(UInt8(ascii: "\""))
    let raw = UnsafeRawBufferPointer(units)
    var index = 0
    while index < raw.count {
      if raw.count - index >= 8 {
        let eight = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if JSONGrammar.stops(in: eight) == 0 {
          put(eight, 8)
          index += 8
          continue
        }
      }
      let unit = unsafe raw[index]
      index += 1
      if unit < 0x20 || unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "\\") {
        escape(unit)
      } else {
        put(unit)
      }
    }
    put(UInt8(ascii: "\""))
  }

  /// Writes a key of at most seven bytes that are all in its tag; false if it is another one.
  @inline(__always)
  private mutating func write(shortKey tag: UInt64) -> Bool {
    let length = tag >> 56
    guard length < 8 else { return false }
    let blanks: UInt64 = 0x2020_2020_2020_2020
    let bytes = tag & ~0 >> 8 | blanks << (8 * length)
    guard JSONGrammar.stops(in: bytes) == 0 else { return false }
    reserve(10)
    put(UInt8(ascii: "\""))
    put(bytes.littleEndian, Int(length))
    put(UInt8(ascii: "\""))
    return true
  }

  private mutating func escape(_ unit: UInt8) {
    put(UInt8(ascii: "\\"))
    switch unit {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(unit)
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0D: put(UInt8(ascii: "r"))
    case 0x09: put(UInt8(ascii: "t"))
    default:
      put(UInt8(ascii: "u"))
      put(0x30)
      put(0x30)
      put(0x30 + unit >> 4)
      put(unit & 15 < 10 ? 0x30 + unit & 15 : 0x57 + unit & 15)
    }
  }
}
