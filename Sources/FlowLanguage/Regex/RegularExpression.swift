/// A pattern that texts are searched for, compiled.
///
/// It is matched in a time that grows with the length of the text times that of the program, whatever
/// the pattern: all ways through the program are followed at once, and nothing is tried twice.
///
/// K. Thompson, "Regular Expression Search Algorithm", 1968; R. Cox, "Regular Expression Matching: the
/// Virtual Machine Approach", 2009.
final class RegularExpression: Sendable {
  let program: RegexProgram
  /// The names of the groups, of which the first is the whole; a group without one has its number.
  let names: [String]
  let hasNames: Bool
  private let keys: [Key]

  /// Compiles a pattern, the characters of which stand from `offset` on in a text.
  init(_ pattern: String, at offset: Int) throws(Diagnostic) {
    var parser = RegexParser(pattern, at: offset)
    let node = try parser.pattern()
    program = try RegexProgram(node, groups: parser.names.count, at: parser.range)
    let groups = parser.names
    names = groups.enumerated().map { number, name in name ?? "\(number)" }
    hasNames = groups.contains { $0 != nil }
    keys = names.map(Key.init)
  }

  /// What a match comes to: the texts of the whole and of the groups, null for those that have none; an
  /// object if a group has a name.
  func value(of match: RegexMatch, in text: RegexText) -> Value {
    let parts = names.indices.map { number in
      match.range(number).map { Value.string(text.part($0)) } ?? .null
    }
    guard hasNames else { return .array(JSONArray(parts)) }
    return .object(
      JSONObject(members: zip(keys, parts).map { JSONObject.Member(name: $0, value: $1) })
    )
  }
}

/// Where a match stands, in bytes, and its groups.
struct RegexMatch {
  /// The beginning and the end of each group; -1 for a group that has none.
  let slots: [Int]

  var whole: Range<Int> { slots[0]..<slots[1] }

  func range(_ group: Int) -> Range<Int>? {
    guard 2 * group + 1 < slots.count, slots[2 * group] >= 0, slots[2 * group + 1] >= 0 else {
      return nil
    }
    return slots[2 * group]..<slots[2 * group + 1]
  }
}

/// A text that is searched.
struct RegexText {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The scalar that begins at a place, and how many bytes it has.
  @inline(__always)
  func scalar(at place: Int) -> (value: UInt32, width: Int) {
    let first = UInt32(bytes[place])
    if first < 0x80 { return (first, 1) }
    let second = UInt32(bytes[place + 1]) & 0x3F
    if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
    let third = UInt32(bytes[place + 2]) & 0x3F
    if first < 0xF0 { return ((first & 0x0F) << 12 | second << 6 | third, 3) }
    let fourth = UInt32(bytes[place + 3]) & 0x3F
    return ((first & 0x07) << 18 | second << 12 | third << 6 | fourth, 4)
  }

  /// The scalar that ends at a place.
  func scalar(before place: Int) -> UInt32? {
    guard place > 0 else { return nil }
    var start = place - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return scalar(at: start).value
  }
}
