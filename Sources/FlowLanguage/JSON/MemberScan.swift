/// Finds a member in JSON text without making the values around it.
enum MemberScan {  // memory 8
  typealias Place = JSONGrammar.Place

  @unsafe enum Found {
    case at(Place)
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

  /// The last member that `path` leads to; all of `text` has to be JSON.
  static func find(_ path: MemberPath, in text: PaddedText) -> Found {
    Decoding.count()
    var search = Search(path.first)
    let isObject = unsafe JSONScan.withoutGuesses { scan, guess in
      unsafe object(in: text, scan, &guess) { unsafe search.look($0, $1) }
    }
    guard isObject else { return unsafe .notAnObject }
    return unsafe follow(path.rest, from: search.found)
  }

  /// Goes over the members of an object that is all of `text`; false if they are something else.
  @inline(__always)
  static func object(
    in text: PaddedText,
    _ scan: JSONScan,
    _ guess: inout JSONScan.Guess,
    member: (JSONString, Place) -> Void
  ) -> Bool {
    unsafe JSONScan.isWhole(text) { next in
      guard unsafe JSONGrammar.has("{", at: next) else { return nil }
      return unsafe scan.object(next, inside: 0, &guess, member: member)
    }
  }

  /// Looks for the last member with a key.
  @safe  // memory 8
  private struct Search {
    private let key: Key
    private(set) var found: Place?

    init(_ key: Key) { self.key = key }

    @inline(__always)
    mutating func look(_ name: JSONString, _ value: Place) {
      if name.isSame(as: key) { unsafe found = unsafe value }
    }
  }

  /// What `keys` lead to from a value, if there is one, in a text that is known to be JSON.
  @inline(never)
  static func follow(_ keys: [Key], from value: Place?) -> Found {
    var value = unsafe value
    for key in keys {
      guard let object = unsafe value else { return unsafe .missing }
      var search = Search(key)
      guard unsafe JSONGrammar.has("{", at: object) else { return unsafe .notAnObject }
      _ = unsafe JSONScan.withoutGuesses { scan, guess in
        unsafe scan.object(object, inside: 0, &guess) { unsafe search.look($0, $1) }
      }
      unsafe value = unsafe search.found
    }
    guard let value = unsafe value else { return unsafe .missing }
    return unsafe .at(value)
  }

  /// The value at a place of a text that is known to be JSON; an array or object is not decoded.
  @inline(__always)
  static func value(at start: Place, for use: Use) -> Value {
    switch unsafe start.pointee {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let number = unsafe JSONNumber(at: start) else { return .null }
      if use == .computing, let scalar = number.scalar { return Value(scalar) }
      return number.value
    default: return unsafe other(at: start)
    }
  }

  @inline(never)
  private static func other(at start: Place) -> Value {
    switch unsafe start.pointee {
    case UInt8(ascii: "\""): return unsafe JSONString(at: start).map { .string($0.string) } ?? .null
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "n"): return .null
    default:
      let (bytes, height) = unsafe JSONGrammar.container(at: start)
      return unsafe .raw(Undecoded(json: JSONWriter.compact(bytes), height: height))
    }
  }
}
