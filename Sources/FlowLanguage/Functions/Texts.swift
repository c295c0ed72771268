/// What the functions of strings do; the caller has checked the kinds.
enum Texts {
  static func uppercased(_ value: Value) -> Value { .string(value.text.uppercased()) }

  static func lowercased(_ value: Value) -> Value { .string(value.text.lowercased()) }

  static func hasPrefix(_ value: Value, _ part: Value) -> Value {
    .bool(value.text.begins(with: part.text))
  }

  static func hasSuffix(_ value: Value, _ part: Value) -> Value {
    .bool(value.text.ends(in: part.text))
  }

  static func trimmed(_ value: Value) -> Value {
    let scalars = value.text.unicodeScalars
    let start = scalars.drop { $0.properties.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else {
      return .string("")
    }
    return .string(String(start[...last]))
  }

  static func split(_ value: Value, _ separator: Value) throws(EvaluationError) -> Value {
    guard !separator.text.isEmpty else { throw .fault("split needs a separator") }
    return try JSONArray.checked(
      value.text.parts(around: separator.text).lazy.filter { !$0.isEmpty }.map(Value.string)
    )
  }

  static func replacing(_ value: Value, _ part: Value, _ other: Value) throws(EvaluationError)
    -> Value
  {
    guard !part.text.isEmpty else { throw .fault("replacing needs a text to look for") }
    return try joined(value.text.parts(around: part.text), separator: other.text)
  }

  static func joined(
    _ parts: [String],
    separator: String
  ) throws(EvaluationError) -> Value {
    let separators = separator.utf8.count * max(0, parts.count - 1)
    guard parts.reduce(separators, { $0 + $1.utf8.count }) <= Extent.mostBytes else {
      throw .tooLarge
    }
    return .string(parts.joined(separator: separator))
  }
}
