/// The fields at the end of a row: `KEY=VALUE`, `KEY="VALUE"`, or a bare word that means true.
///
/// Unknown fields of a newer server are kept in their order.
public struct RowFields: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public let key: String
    /// The text after `=`; `nil` for a bare word.
    public let value: String?
    public let isQuoted: Bool
  }

  public private(set) var all: [Field] = []

  /// The value of the first field with this key; `nil` if it is missing or a bare word.
  public subscript(_ key: String) -> String? { all.first { $0.key == key }?.value }

  /// The value of the first field with this key as a count; `nil` if it is not a number.
  public func count(_ key: String) -> UInt64? { self[key].flatMap { UInt64($0) } }

  /// Concatenates the fields of both.
  public static func + (first: Self, second: Self) -> Self {
    var both = first
    both.all += second.all
    return both
  }
}

extension RowFields: ExpressibleByDictionaryLiteral {
  /// Makes a field of each value: `true` becomes a bare word; `false` and `nil` are left out.
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

  /// Makes a quoted field of each text that is not `nil`; the texts must have no quotes.
  public static func quoted(_ texts: KeyValuePairs<String, String?>) -> Self {
    var fields = Self()
    for (key, text) in texts {
      if let text { fields.all.append(Field(key: key, value: text, isQuoted: true)) }
    }
    return fields
  }
}

extension RowFields: CustomStringConvertible {
  public var description: String {
    all.map { field in
      guard let value = field.value else { return field.key }
      return field.isQuoted ? "\(field.key)=\"\(value)\"" : "\(field.key)=\(value)"
    }
    .joined(separator: " ")
  }

  /// Parses fields separated by blanks; values may be quoted if `mayBeQuoted`.
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
