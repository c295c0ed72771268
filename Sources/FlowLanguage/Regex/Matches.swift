/// What the functions of texts do that take a regular expression; the caller has checked the kinds.
enum Matches {
  static func contains(
    _ value: Value,
    _ pattern: RegularExpression,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    var matcher = RegexMatcher(pattern.program, RegexText(value.text), hasGroups: false)
    return .bool(try matcher.match(from: 0, .any, &locals) != nil)
  }

  static func first(
    _ value: Value,
    _ pattern: RegularExpression,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try one(value, pattern, .first, &locals)
  }

  static func whole(
    _ value: Value,
    _ pattern: RegularExpression,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try one(value, pattern, .whole, &locals)
  }

  private static func one(
    _ value: Value,
    _ pattern: RegularExpression,
    _ wanted: RegexMatcher.Wanted,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let text = RegexText(value.text)
    var matcher = RegexMatcher(pattern.program, text, hasGroups: true)
    let match = try matcher.match(from: 0, wanted, &locals)
    return match.map { pattern.value(of: $0, in: text) } ?? .null
  }

  /// The texts that match, or with groups what each match comes to.
  static func all(
    _ value: Value,
    _ pattern: RegularExpression,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let text = RegexText(value.text)
    let hasGroups = pattern.names.count > 1
    var values: [Value] = []
    try each(of: pattern, in: text, hasGroups: hasGroups, &locals) { match, _ in
      values.append(
        hasGroups ? pattern.value(of: match, in: text) : .string(text.part(match.whole))
      )
    }
    return try JSONArray.checked(values)
  }

  static func split(
    _ value: Value,
    _ separator: RegularExpression,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let text = RegexText(value.text)
    var parts: [Value] = []
    var start = 0
    let add = { (range: Range<Int>) in
      if !range.isEmpty { parts.append(.string(text.part(range))) }
    }
    try each(of: separator, in: text, hasGroups: false, &locals) { match, _ in
      add(start..<match.whole.lowerBound)
      start = match.whole.upperBound
    }
    add(start..<text.bytes.count)
    return try JSONArray.checked(parts)
  }

  static func replacing(
    _ value: Value,
    _ pattern: RegularExpression,
    _ other: Value,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let (text, new) = (RegexText(value.text), Array(other.text.utf8))
    return try replacing(pattern, in: text, hasGroups: false, &locals) { _, _ in new }
  }

  static func replacing(
    _ value: Value,
    _ pattern: RegularExpression,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let text = RegexText(value.text)
    return try replacing(pattern, in: text, hasGroups: true, &locals) {
      (match, locals) throws(EvaluationError) in
      let result = try closure(pattern.value(of: match, in: text), &locals)
      guard case .string(let new) = try locals.decode(result) else {
        throw .fault("replacing needs a String from its closure, not \(result.kind)")
      }
      return Array(new.utf8)
    }
  }

  private static func replacing(
    _ pattern: RegularExpression,
    in text: RegexText,
    hasGroups: Bool,
    _ locals: inout Locals,
    _ new: (RegexMatch, inout Locals) throws(EvaluationError) -> [UInt8]
  ) throws(EvaluationError) -> Value {
    var bytes: [UInt8] = []
    var start = 0
    try each(of: pattern, in: text, hasGroups: hasGroups, &locals) {
      (match, locals) throws(EvaluationError) in
      bytes += text.bytes[start..<match.whole.lowerBound]
      bytes += try new(match, &locals)
      start = match.whole.upperBound
      guard bytes.count <= Extent.mostBytes else { throw .tooLarge }
    }
    bytes += text.bytes[start...]
    guard bytes.count <= Extent.mostBytes else { throw .tooLarge }
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  /// Gives all matches, one behind another; behind an empty one the search goes on one scalar later.
  private static func each(
    of pattern: RegularExpression,
    in text: RegexText,
    hasGroups: Bool,
    _ locals: inout Locals,
    _ body: (RegexMatch, inout Locals) throws(EvaluationError) -> Void
  ) throws(EvaluationError) {
    var matcher = RegexMatcher(pattern.program, text, hasGroups: hasGroups)
    var place = 0
    while place <= text.bytes.count, let match = try matcher.match(from: place, .first, &locals) {
      try locals.spend(Price.match)
      try body(match, &locals)
      place = match.whole.upperBound
      guard match.whole.isEmpty else { continue }
      guard place < text.bytes.count else { return }
      place += text.scalar(at: place).width
    }
  }
}
