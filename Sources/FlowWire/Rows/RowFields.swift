/// The fields at the end of a row: `KEY=VALUE`, `KEY="VALUE"`, or a word that is true because it stands there.
///
/// A newer server may have fields that this program does not know; they are kept in their order.
public struct RowFields: Hashable, Sendable {
  /// One field.
  public struct Field: Hashable, Sendable {
    /// The word before `=`.
    public let key: String
    /// The text behind `=`; `nil` if the field is a word only.
    public let value: String?
    /// Whether the value stands in quotes.
    public let isQuoted: Bool
  }

  /// The fields in their order.
  public private(set) var all: [Field] = []

  /// The value of the first field with this key; `nil` if it is missing or a word only.
  public subscript(_ key: String) -> String? { all.first { $0.key == key }?.value }

  /// The value of the first field with this key as a count; `nil` if it is no number.
  public func count(_ key: String) -> UInt64? { self[key].flatMap { UInt64($0) } }

  /// Makes the fields of both, in this order.
  public static func + (first: Self, second: Self) -> Self {
    var both = first
    both.all += second.all
    return both
  }
}

extension RowFields: ExpressibleByDictionaryLiteral {
  /// Makes a field of each value: a word of `true`, and none of `false` and `nil`.
  public init(dictionaryLiteral fields: (String, (any CustomStringConvertible)?)...) {
    for (key, value) in fields {
      guard let value else { continue }
      if let isTrue = value as? Bool {
        if isTrue { all.append(Field(key: key, value: nil, isQuoted: false)) }
      } else {
        all.append(Field(key: key, value: value.description, isQuoted: false))
      }
    }
  }

  /// Makes a field in quotes of each text that is not `nil`; no text may have quotes in it.
  public static func quoted(_ texts: KeyValuePairs<String, String?>) -> Self {
    var fields = Self()
    for (key, text) in texts {
      if let text { fields.all.append(Field(key: key, value: text, isQuoted: true)) }
    }
    return fields
  }
}

extension RowFields: CustomStringConvertible {
  /// The fields as a row has them.
  public var description: String {
    all.map { field in
      guard let value = field.value else { return field.key }
      return field.isQuoted ? "\(field.key)=\"\(value)\"" : "\(field.key)=\(value)"
    }
    .joined(separator: " ")
  }

  /// Reads fields with blanks between them; only with `mayBeQuoted` a value may stand in quotes.
  public init(_ text: Substring, mayBeQuoted: Bool = false) {
    var rest = text.utf8
    while let start = rest.firstIndex(where: { $0 != .space }) {
      rest = rest[start...]
      let key = rest.prefix { $0 != .space && $0 != .equals }
      var value = rest[key.endIndex...].prefix { $0 != .space }
      let isQuoted = mayBeQuoted && value.starts(with: "=\"".utf8)
      if isQuoted { value = rest[key.endIndex...].dropFirst(2).prefix { $0 != .quote } }
      rest = rest[value.endIndex...]
      if isQuoted { rest = rest.dropFirst() } else { value = value.dropFirst() }
      let isWord = !isQuoted && key.endIndex == value.startIndex
      all.append(
        Field(
          key: String(Substring(key)),
          value: isWord ? nil : String(Substring(value)),
          isQuoted: isQuoted
        )
      )
    }
  }
}
