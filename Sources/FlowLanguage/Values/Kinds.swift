/// What a value may be, as far as it is known when a closure is compiled.
struct Kinds: OptionSet {
  let rawValue: UInt8

  static let null = Kinds(rawValue: 1)
  static let bool = Kinds(rawValue: 2)
  static let int = Kinds(rawValue: 4)
  static let double = Kinds(rawValue: 8)
  static let string = Kinds(rawValue: 16)
  static let array = Kinds(rawValue: 32)
  static let object = Kinds(rawValue: 64)
  static let number: Kinds = [.int, .double]
  static let any = Kinds(rawValue: 127)

  /// The kind of a value that is decoded.
  init(of value: Value) {
    switch value {
    case .null: self = .null
    case .bool: self = .bool
    case .int: self = .int
    case .double: self = .double
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    case .number, .raw: self = .any
    }
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The kinds, for people.
  var text: String {
    if self == .any { return "any value" }
    var names: [String] = []
    if isSuperset(of: .number) {
      names.append("a number")
    } else {
      if contains(.int) { names.append("an Int") }
      if contains(.double) { names.append("a Double") }
    }
    if contains(.string) { names.append("a String") }
    if contains(.bool) { names.append("a Bool") }
    if contains(.array) { names.append("an array") }
    if contains(.object) { names.append("an object") }
    if contains(.null) { names.append("null") }
    return names.joined(separator: " or ")
  }
}
