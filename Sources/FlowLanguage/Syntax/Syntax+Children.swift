extension Syntax {
  /// The nodes right below this one.
  var children: [Syntax] {
    switch kind {
    case .literal, .name, .parameter, .implicitMember, .keyPath, .pattern, .unread: []
    case .interpolation(let parts): parts
    case .array(let elements): elements
    case .dictionary(let pairs): pairs.flatMap { [$0.key, $0.value] }
    case .member(let base, _): [base]
    case .call(let callee, let arguments): [callee] + arguments.map(\.value)
    case .element(let base, let index): [base, index]
    case .prefix(_, let operand): [operand]
    case .infix(_, let left, let right): [left, right]
    case .choice(let condition, let yes, let no): [condition] + yes.children + no.children
    case .selection(let selection):
      [selection.subject] + selection.cases.flatMap(\.body.children) + selection.otherwise.children
    case .closure(let closure): closure.body.children
    }
  }

  /// How many nodes there are from here down.
  var count: Int { children.reduce(1) { $0 + $1.count } }

  /// How often `name` stands in it; a parameter's name is that of a closure around it, too.
  fileprivate func mentions(of name: String) -> Int {
    switch kind {
    case .name(name): 1
    case .parameter(let index): name == "$\(index)" ? 1 : 0
    default: children.reduce(0) { $0 + $1.mentions(of: name) }
    }
  }
}

extension Block {
  /// How often `name` stands in it.
  func mentions(of name: String) -> Int { children.reduce(0) { $0 + $1.mentions(of: name) } }

  /// How many nodes there are.
  var count: Int { children.reduce(1) { $0 + $1.count } }
}
