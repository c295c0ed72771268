/// Finds a member in JSON text without making the values around it.
enum MemberScan {
  typealias Place = JSONGrammar.Place

  enum Found {
    case value(Value)
    /// There is an object, and it has no such member.
    case missing
    /// There is something else than an object.
    case notAnObject
  }

  /// What a value that is found is for.
  enum Use {
    /// To be computed with.
    case computing
    /// To be handed on, with numbers as they are spelled.
    case handingOn
  }

  /// The last member that `path` leads to; all of `bytes` has to be JSON.
  static func find(
    _ path: [Key],
    in bytes: UnsafeBufferPointer<UInt8>,
    for use: Use
  ) -> Found {
    guard let start = bytes.baseAddress else { return .notAnObject }
    let end = unsafe start + bytes.count
    var search = unsafe Search(path[0], before: end)
    guard unsafe object(in: bytes, member: { unsafe search.look($0, $1) }) else {
      return .notAnObject
    }
    return unsafe follow(path, from: search.found, before: end, for: use)
  }

  /// Goes over the members of an object that is all of `bytes`; false if they are something else.
  @inline(__always)
  static func object(
    in bytes: UnsafeBufferPointer<UInt8>,
    member: (JSONCursor.Text, Place) -> Void
  ) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    let grammar = unsafe JSONGrammar(end: start + bytes.count)
    let next = unsafe grammar.blanks(start)
    guard unsafe grammar.has("{", at: next),
      let behind = unsafe grammar.object(next, inside: 0, member: member),
      unsafe grammar.blanks(behind) == grammar.end, unsafe grammar.isUTF8(from: start)
    else { return false }
    Decoding.count()
    return true
  }

  /// Looks for the last member with a key.
  @safe  // memory 8
  private struct Search {
    private let key: Key
    private let end: Place
    private(set) var found: Place?

    init(_ key: Key, before end: Place) {
      self.key = key
      unsafe self.end = unsafe end
    }

    @inline(__always)
    mutating func look(_ name: JSONCursor.Text, _ value: Place) {
      if unsafe name.keyTag(before: end) == key.tag, name.isSame(as: key) {
        unsafe found = unsafe value
      }
    }
  }

  /// What the names behind the first of `path` lead to from its value, if there is one, in a text
  /// that is known to be JSON.
  static func follow(
    _ path: [Key],
    from value: Place?,
    before end: Place,
    for use: Use
  ) -> Found {
    let grammar = unsafe JSONGrammar(end: end)
    var value = unsafe value
    for index in path.indices.dropFirst() {
      guard let object = unsafe value else { return .missing }
      var search = unsafe Search(path[index], before: end)
      guard unsafe grammar.has("{", at: object),
        unsafe grammar.object(object, inside: 0, member: { unsafe search.look($0, $1) }) != nil
      else { return .notAnObject }
      unsafe value = unsafe search.found
    }
    guard let value = unsafe value else { return .missing }
    return unsafe .value(self.value(at: value, grammar, for: use))
  }

  @inline(__always)
  private static func value(at start: Place, _ grammar: JSONGrammar, for use: Use) -> Value {
    switch unsafe start.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return unsafe .raw(copy(from: start, grammar))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let digits = unsafe grammar.number(start) else { return .null }
      return use == .computing ? digits.computed : digits.value
    default: return unsafe JSONReader.value(from: start, to: grammar.end)
    }
  }

  /// The array or object at `start`, without the blanks in it.
  private static func copy(from start: Place, _ grammar: JSONGrammar) -> Undecoded {
    var bytes: [UInt8] = []
    // What stands before `next` and is not copied yet.
    var pending = unsafe start
    var next = unsafe start
    var depth: UInt32 = 0
    var height: UInt32 = 0
    repeat {
      let unit = unsafe next.pointee
      switch unit {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        height = max(height, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        if let text = unsafe grammar.string(next + 1) { unsafe next = unsafe text.end }
      case 0...0x20:
        unsafe bytes += UnsafeBufferPointer(start: pending, count: next - pending)
        unsafe pending = unsafe next + 1
      default: break
      }
      unsafe next += 1
    } while depth > 0
    unsafe bytes += UnsafeBufferPointer(start: pending, count: next - pending)
    return Undecoded(json: bytes, height: height)
  }
}
