/// All functions and properties of values: what the compiler checks against, and what help is made
/// of.
public enum FunctionTable {
  /// Those of any value, then of texts, arrays, objects and numbers.
  public static let all = general + texts + arrays + objects + numbers

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
      work: work
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
    FunctionEntry(
      name: name,
      signature: name + arguments,
      summary: summary,
      example: example,
      result: result,
      role: .function,
      receiver: [],
      parameters: [.value(kinds)],
      gives: gives,
      body: body,
      work: work
    )
  }
}

extension FunctionEntry.Parameter {
  static func value(_ kinds: Kinds, label: String? = nil) -> Self {
    .init(label: label, form: .value(kinds))
  }

  static func closure(_ arity: Int, label: String? = nil) -> Self {
    .init(label: label, form: .closure(arity: arity))
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
