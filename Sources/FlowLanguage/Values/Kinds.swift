/// What a value may be, as far as it is known when a closure is compiled.
///
/// An array of few elements is of a kind of its own for each number of them, so that a closure that
/// names its elements can be checked.
struct Kinds: OptionSet {
  let rawValue: UInt32

  static let null = Kinds(rawValue: 1)
  static let bool = Kinds(rawValue: 2)
  static let int = Kinds(rawValue: 4)
  static let double = Kinds(rawValue: 8)
  static let string = Kinds(rawValue: 16)
  static let object = Kinds(rawValue: 32)
  /// An array of any number of elements.
  static let array = Kinds(rawValue: ((1 << widths.count) - 1) << firstWidth)
  /// An integer above all Ints.
  static let uint = Kinds(rawValue: 64)
  static let number: Kinds = [.int, .uint, .double]
  static let any: Kinds = [.null, .bool, .number, .string, .object, .array]

  /// The numbers of elements that are told apart; the first bit of them is for all others.
  private static let widths = 0...16
  private static let firstWidth: UInt32 = 8

  /// An array of so many elements; an empty one is often the first of many, and says nothing.
  static func array(of width: Int) -> Kinds {
    Kinds(rawValue: 1 << (firstWidth + UInt32(widths.contains(width) ? width : 0)))
  }

  /// With arrays of any number of elements, if there are arrays.
  var ofAnyWidth: Kinds { isDisjoint(with: .array) ? self : union(.array) }

  /// How many elements it has, if it is an array of a known number of them.
  var width: Int? { Self.widths.dropFirst().first { self == .array(of: $0) } }

  /// The kind of a value that is decoded.
  init(of value: Value) {
    switch value {
    case .null: self = .null
    case .bool: self = .bool
    case .int: self = .int
    case .uint: self = .uint
    case .double, .number: self = .double
    case .string: self = .string
    case .array(let array): self = .array(of: array.count)
    case .object: self = .object
    case .raw: self = .any
    }
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The kinds, for people, with their articles.
  var text: String { words.map { "\($0.article)\($0.name)" }.joined(separator: " or ") }

  /// The kinds by their names alone.
  var names: String { words.map(\.name).joined(separator: " or ") }

  private var words: [(article: String, name: String)] {
    if self == .any { return [("", "any value")] }
    var words: [(article: String, name: String)] = []
    if isSuperset(of: [.int, .double]) {
      words.append(("a ", "number"))
    } else {
      if contains(.int) { words.append(("an ", "Int")) }
      if contains(.uint) { words.append(("a ", "UInt")) }
      if contains(.double) { words.append(("a ", "Double")) }
    }
    if contains(.string) { words.append(("a ", "String")) }
    if contains(.bool) { words.append(("a ", "Bool")) }
    if !isDisjoint(with: .array) { words.append(("an ", "array")) }
    if contains(.object) { words.append(("an ", "object")) }
    if contains(.null) { words.append(("", "null")) }
    return words
  }
}
