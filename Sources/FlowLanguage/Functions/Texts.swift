/// What the functions of strings do; the caller has checked the kinds.
enum Texts {
  static func uppercased(_ value: Value) -> Value { .string(value.text.uppercased()) }

  static func lowercased(_ value: Value) -> Value { .string(value.text.lowercased()) }

  static func hasPrefix(_ value: Value, _ part: Value) -> Value {
    .bool(value.text.hasPrefix(part.text))
  }

  static func hasSuffix(_ value: Value, _ part: Value) -> Value {
    .bool(value.text.hasSuffix(part.text))
  }

  static func trimmed(_ value: Value) -> Value {
    let start = value.text.drop(while: \.isWhitespace)
    let length = start.reversed().drop(while: \.isWhitespace).count
    return .string(String(start.prefix(length)))
  }

  static func split(_ value: Value, _ separator: Value) throws(Trouble) -> Value {
    guard !separator.text.isEmpty else { throw .fault("split needs a separator") }
    return try JSONArray.checked(
      value.text.split(separator: separator.text).map { .string(String($0)) }
    )
  }

  static func replacing(_ value: Value, _ part: Value, _ other: Value) throws(Trouble) -> Value {
    guard !part.text.isEmpty else { throw .fault("replacing needs a text to look for") }
    let parts = value.text.split(separator: part.text, omittingEmptySubsequences: false)
    return try joined(parts, separator: other.text)
  }

  static func joined(
    _ parts: [some StringProtocol],
    separator: String
  ) throws(Trouble) -> Value {
    let separators = separator.utf8.count * max(0, parts.count - 1)
    guard parts.reduce(separators, { $0 + $1.utf8.count }) <= Extent.mostOctets else {
      throw .tooLarge
    }
    return .string(parts.joined(separator: separator))
  }
}
