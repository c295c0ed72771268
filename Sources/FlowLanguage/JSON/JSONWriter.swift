/// Writes compact JSON.
@safe  // memory 8
struct JSONWriter: ~Copyable {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  var count = 0
  /// Whether `start` is ours to free.
  private var isOwner = false

  /// Gives the text of `value`, for as long as `body` runs.
  static func withText(of value: Value, _ body: (UnsafeRawBufferPointer) -> Void) {
    withRoom(for: 512) { writer in
      writer.write(value)
      unsafe body(writer.bytes)
    }
  }

  /// Writes a scalar to a place that has room for the longest; returns how many bytes it has.
  static func write(scalar: Value, to place: UnsafeMutableRawPointer) -> Int {
    let start = unsafe place.assumingMemoryBound(to: UInt8.self)
    var writer = unsafe JSONWriter(start: start, capacity: Value.longestScalar)
    switch scalar {
    case .int(let number): writer.write(number)
    case .double(let number): writer.write(number)
    default: writer.write(scalar)
    }
    return writer.count
  }

  /// Gives a writer with room for so many bytes, and for more as long as they last.
  @inline(__always)
  private static func withRoom<R>(for bytes: Int, _ body: (inout JSONWriter) -> R) -> R {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(bytes, 1)) { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("a buffer of a byte or more has an address")
      }
      var writer = unsafe JSONWriter(start: start, capacity: buffer.count)
      return body(&writer)
    }
  }

  private var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: count)
  }

  private init(start: UnsafeMutablePointer<UInt8>, capacity: Int) {
    unsafe self.start = unsafe start
    self.capacity = capacity
  }

  deinit { if isOwner { unsafe start.deallocate() } }

  /// An array or object that is all of a JSON text, as it is written.
  static func compact(_ text: UnsafeRawBufferPointer) -> PaddedBytes {
    withRoom(for: text.count) { writer in
      unsafe writer.write(json: text)
      return unsafe PaddedBytes(writer.bytes)
    }
  }

  /// Makes room for `more` bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
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
  mutating func put(_ unit: UInt8) {
    unsafe start[count] = unit
    count &+= 1
  }

  /// Writes the first bytes of eight for which there is room.
  @inline(__always)
  mutating func put(_ eight: UInt64, _ length: Int) {
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: eight, as: UInt64.self)
    count &+= length
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

  mutating func append(_ word: StaticString) {
    unsafe append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func write(_ value: Value) {
    switch value {
    case .null: append("null" as StaticString)
    case .bool(let flag): append(flag ? "true" as StaticString : "false")
    case .int(let number): write(number)
    case .uint(let number): write(number)
    case .double(let number): write(number)
    case .number(let number): append(number.text)
    case .string(let text): write(text)
    case .array(let array): write(array)
    case .object(let object): write(object)
    case .raw(let raw):
      // Inside another value even a bare word has to be JSON.
      if raw.height > 0 {
        unsafe raw.bytes.withBytes { unsafe append($0.bindMemory(to: UInt8.self)) }
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
    if let read = object.read {
      return read.withText { text in
        if read.isCompact {
          unsafe append(UnsafeBufferPointer(start: text.start, count: text.count))
        } else {
          unsafe write(json: text.bytes)
        }
      }
    }
    append("{")
    for (index, member) in object.members.enumerated() {
      if index > 0 { append(",") }
      if !write(shortKey: member.name.tag) { write(member.name.text) }
      append(":")
      write(member.value)
    }
    append("}")
  }

  /// Writes a text that is known to be JSON and has padding behind it, without the blanks in it.
  private mutating func write(json text: UnsafeRawBufferPointer) {
    let text = unsafe text.bindMemory(to: UInt8.self)
    guard let start = text.baseAddress else { return }
    // What stands before `next` and is not written yet.
    var pending = unsafe start
    var next = unsafe start
    let end = unsafe start + text.count
    while unsafe next < end {
      let unit = unsafe next.pointee
      if let string = unsafe JSONString(at: next) {
        unsafe next = unsafe string.end + 1
        if !string.isPlain {
          unsafe append(UnsafeBufferPointer(start: pending, count: string.start - 1 - pending))
          write(string.string)
          unsafe pending = unsafe next
        }
      } else if unit <= 0x20 {
        unsafe append(UnsafeBufferPointer(start: pending, count: next - pending))
        unsafe next += 1
        unsafe pending = unsafe next
      } else {
        unsafe next = unsafe JSONGrammar.bare(next + 1)
      }
    }
    // A step may have gone beyond the end, over the padding.
    unsafe append(UnsafeBufferPointer(start: pending, count: end - pending))
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
