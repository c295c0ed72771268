/// Makes the value of a JSON text.
@safe  // memory 8
struct JSONReader {
  private let scan: JSONScan
  private var guess: JSONScan.Guess
  private var next: JSONGrammar.Place
  /// The bytes that what was made of it takes in memory.
  private var memory = 0

  private init(_ scan: JSONScan, _ guess: JSONScan.Guess, from start: JSONGrammar.Place) {
    unsafe self.scan = unsafe scan
    unsafe self.guess = unsafe guess
    unsafe next = unsafe start
  }

  /// The value that `text` is the JSON of, or `nil`.
  static func read(_ text: PaddedText) -> Value? {
    unsafe JSONScan.withoutGuesses { scan, guess in
      var value: Value?
      let isWhole = unsafe JSONScan.isWhole(text) { start in
        var reader = unsafe JSONReader(scan, guess, from: start)
        value = reader.value(inside: 0)
        return unsafe value == nil ? nil : reader.next
      }
      return isWhole ? value : nil
    }
  }

  @inline(__always)
  private mutating func read(_ unit: Unicode.Scalar) -> Bool {
    guard unsafe JSONGrammar.has(unit, at: next) else { return false }
    unsafe next += 1
    return true
  }

  @inline(__always)
  private mutating func skipBlanks() { unsafe next = unsafe JSONGrammar.blanks(next) }

  private mutating func value(inside depth: UInt32) -> Value? {
    switch unsafe next.pointee {
    case UInt8(ascii: "\""):
      guard let text = unsafe JSONGrammar.string(next + 1) else { return nil }
      unsafe next = unsafe text.end + 1
      memory += Extent.memory(ofText: text.count)
      return .string(text.string)
    case UInt8(ascii: "{"): return object(inside: depth)
    case UInt8(ascii: "["): return array(inside: depth)
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default:
      guard let number = unsafe JSONNumber(at: next) else { return nil }
      unsafe next = unsafe number.end
      memory += Extent.memory(ofText: number.count)
      return number.value
    }
  }

  private mutating func word(_ word: StaticString, _ value: Value) -> Value? {
    guard let behind = unsafe JSONGrammar.word(word, at: next) else { return nil }
    unsafe next = unsafe behind
    return value
  }

  private mutating func array(inside depth: UInt32) -> Value? {
    let start = unsafe next
    let memoryBefore = memory
    let heightBefore = unsafe scan.beginHeight(inside: depth)
    guard unsafe scan.enter(depth) else { return nil }
    unsafe next += 1
    skipBlanks()
    var elements: [Value] = []
    if read("]") { return .array(JSONArray(elements)) }
    repeat {
      skipBlanks()
      guard let element = value(inside: depth + 1) else { return nil }
      elements.append(element)
      skipBlanks()
    } while read(",")
    guard read("]") else { return nil }
    // Room that an array has and does not use is held all the same.
    memory += Extent.header + elements.capacity * MemoryLayout<Value>.stride
    let extent = unsafe Extent(
      bytes: next - start,
      height: Int(scan.endHeight(heightBefore) - depth),
      memory: memory - memoryBefore
    )
    return .array(JSONArray(elements, extent: extent))
  }

  private mutating func object(inside depth: UInt32) -> Value? {
    let start = unsafe next
    let heightBefore = unsafe scan.beginHeight(inside: depth)
    let object: ReadObject? = unsafe withUnsafeTemporaryAllocation(
      of: MemberPlaces.Member.self,
      capacity: MemberPlaces.few
    ) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var writer = unsafe MemberPlaces.Writer(base, capacity: buffer.count, from: start)
      unsafe scan.isCompact = true
      let behind = unsafe scan.object(start, inside: depth, &guess) { unsafe writer.append($0, $1) }
      guard let behind = unsafe behind else { return nil }
      unsafe next = unsafe behind
      let text = unsafe UnsafeRawBufferPointer(start: start, count: behind - start)
      return unsafe ReadObject(
        text,
        writer.places,
        height: scan.endHeight(heightBefore) - depth,
        isCompact: scan.isCompact
      )
    }
    guard let object else { return nil }
    memory += object.extent.memory
    return .object(JSONObject(object))
  }
}
