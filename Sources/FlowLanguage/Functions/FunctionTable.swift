/// All functions and properties of values: what the compiler checks against, and what help is made
/// of.
public enum FunctionTable {
  /// All functions and properties, in the order of the documentation.
  public static let all =
    general + parts + texts + patterns + codings + arrays + search + figures + objects + numbers
    + reals + times

  /// All names, each once.
  public static let names = all.map(\.name).reduce(into: [String]()) { names, name in
    if !names.contains(name) { names.append(name) }
  }

  /// Those called `name`.
  public static func entries(_ name: String) -> [FunctionEntry] { byName[name] ?? [] }

  /// The property called `name`.
  static func property(_ name: String) -> FunctionEntry? {
    byName[name]?.first { $0.role == .property }
  }

  /// The names of those that stand where `roles` say.
  static func names(of roles: FunctionEntry.Role...) -> [String] {
    all.filter { roles.contains($0.role) }.map(\.name)
  }

  private static let byName = Dictionary(grouping: all, by: \.name)

  static func property(
    _ name: String,
    of receiver: Kinds,
    _ summary: String,
    _ example: String,
    _ result: String,
    gives: Kinds,
    does work: Price.Work = .glance,
    _ body: FunctionEntry.Body
  ) -> FunctionEntry {
    FunctionEntry(
      name: name,
      signature: "\(receiver.example).\(name)",
      summary: summary,
      example: example,
      result: result,
      role: .property,
      receiver: receiver,
      parameters: [],
      gives: gives,
      body: body,
      work: work
    )
  }

  static func method(
    _ name: String,
    _ arguments: String,
    of receiver: Kinds,
    takes parameters: [FunctionEntry.Parameter] = [],
    _ summary: String,
    _ example: String,
    _ result: String,
    gives: Kinds,
    does work: Price.Work = .glance,
    holding elements: FunctionEntry.Elements = .any,
    _ body: FunctionEntry.Body
  ) -> FunctionEntry {
    FunctionEntry(
      name: name,
      signature: "\(receiver.example).\(name)\(arguments)",
      summary: summary,
      example: example,
      result: result,
      role: .method,
      receiver: receiver,
      parameters: parameters,
      gives: gives,
      body: body,
      work: work,
      elements: elements
    )
  }

  static func function(
    _ name: String,
    _ arguments: String,
    takes kinds: Kinds,
    _ summary: String,
    _ example: String,
    _ result: String,
    gives: Kinds,
    does work: Price.Work = .glance,
    _ body: FunctionEntry.Body
  ) -> FunctionEntry {
    function(
      name,
      arguments,
      takes: [.value(kinds)],
      summary,
      example,
      result,
      gives: gives,
      does: work,
      body
    )
  }

  static func function(
    _ name: String,
    _ arguments: String,
    takes parameters: [FunctionEntry.Parameter],
    _ summary: String,
    _ example: String,
    _ result: String,
    gives: Kinds,
    does work: Price.Work = .glance,
    holding elements: FunctionEntry.Elements = .any,
    _ body: FunctionEntry.Body
  ) -> FunctionEntry {
    FunctionEntry(
      name: name,
      signature: name + arguments,
      summary: summary,
      example: example,
      result: result,
      role: .function,
      receiver: [],
      parameters: parameters,
      gives: gives,
      body: body,
      work: work,
      elements: elements
    )
  }
}

extension FunctionEntry.Parameter {
  static func value(_ kinds: Kinds, label: String? = nil) -> Self {
    .init(label: label, form: .value(kinds))
  }

  /// A value whose numbers stay as they are spelled, because it is handed on or written.
  static func spelled(_ kinds: Kinds) -> Self {
    .init(label: nil, form: .value(kinds), keepsSpelling: true)
  }

  static func closure(_ arity: Int, makes kinds: Kinds = .any, label: String? = nil) -> Self {
    .init(label: label, form: .closure(arity: arity, makes: kinds))
  }

  static func pattern(label: String? = nil) -> Self { .init(label: label, form: .pattern) }

  /// How many elements: as Swift, it takes none below 0.
  static let count = integer(0...Int.max)

  static func integer(_ range: ClosedRange<Int>, label: String? = nil) -> Self {
    .init(label: label, form: .value(.int)) { value in
      guard case .int(let number) = value, !range.contains(number) else { return nil }
      let most = range.upperBound
      return most == .max ? "an Int of at least 0" : "an Int from \(range.lowerBound) to \(most)"
    }
  }

  /// A number from 0 to 1.
  static let share = Self(label: nil, form: .value(.number)) { value in
    guard let number = Scalar(value)?.double else { return nil }
    return 0...1 ~= number ? nil : "a number from 0 to 1"
  }
}

extension Kinds {
  /// What stands for such a value in a signature.
  fileprivate var example: String {
    switch self {
    case .string: "text"
    case .array: "array"
    case .object: "object"
    case .number: "number"
    default: "value"
    }
  }
}
