// Where publishers stand, by name or otherwise.

extension Compiler {
  /// Whether nothing around depends on a value or on a publisher that is a parameter.
  func isOutermost(_ scope: Scope) -> Bool { scope.names.isEmpty && publishers.isEmpty }

  /// Compiles the publisher that a `let` names.
  func localPublisher(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> LocalPublisher {
    let outer = (chain, isBelow)
    (chain, isBelow) = ([], true)
    defer { (chain, isBelow) = outer }
    let source = try guarded(syntax, in: scope)
    return LocalPublisher(source: source, stages: chain, kinds: kinds)
  }

  /// Compiles a closure whose parameter `name` is a publisher of values of these kinds that its
  /// context calls `hidden`.
  func withPublisher(
    _ name: String,
    of kinds: Kinds,
    as hidden: String,
    _ body: (Compiler) throws(Diagnostic) -> Source
  ) throws(Diagnostic) -> Source {
    let outer = publishers
    let demand = StageDemand.source(ends: "with the publisher that the closure is given")
    publishers[name] = LocalPublisher(
      source: { (_, context) throws(Trouble) in context.subject(hidden, counters: nil) },
      stages: [StageDescription(text: name, demand: demand, delay: nil)],
      kinds: kinds
    )
    defer { publishers = outer }
    return try body(self)
  }

  func isPublisher(_ name: String, in scope: Scope) -> Bool {
    scope.number(of: name) == nil && (publishers[name] != nil || lookup(name) != nil)
  }

  /// Whether an expression stands for a publisher, as far as it begins like one.
  func isPublisher(_ syntax: Syntax, in scope: Scope) -> Bool {
    switch syntax.kind {
    case .name(let name): isPublisher(name, in: scope)
    case .parameter(let index): isPublisher("$\(index)", in: scope)
    case .member(_, let name) where name.text == "publisher": true
    case .member(let base, _): isPublisher(base, in: scope)
    case .call(let callee, _):
      if case .name(let name) = callee.kind {
        OperatorTable.sourceNames.contains(name)
      } else if case .member(let base, let name) = callee.kind, case .name("Timer") = base.kind {
        name.text == "publish"
      } else {
        isPublisher(callee, in: scope)
      }
    case .choice(_, let yes, _): isPublisher(yes.result, in: scope)
    case .selection(let selection): isPublisher(selection.otherwise.result, in: scope)
    default: false
    }
  }

  /// Compiles a publisher that a stage has besides its upstream.
  func publisher(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Source {
    try branch { (compiler) throws(Diagnostic) in try compiler.guarded(syntax, in: scope) }
  }

  /// As above, if there is one.
  func publisher(_ syntax: Syntax?, in scope: Scope) throws(Diagnostic) -> Source? {
    guard let syntax else { return nil }
    return try publisher(syntax, in: scope) as Source
  }
}

/// A publisher with a name inside of a closure.
struct LocalPublisher {
  let source: Source
  let stages: [StageDescription]
  /// What it may publish, as far as is known.
  let kinds: Kinds
}

extension Scope {
  /// The scope without the value called `name`, which something else is called now.
  func hiding(_ name: String) -> Scope {
    Scope().adding(entries.map { $0.name == name ? Entry(name: "") : $0 })
  }
}
