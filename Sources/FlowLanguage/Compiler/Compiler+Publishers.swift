import FlowCore

// Where publishers stand, by name or otherwise.

extension Compiler {
  func isPublisher(_ name: String, in scope: Scope) -> Bool {
    scope.number(of: name) == nil && scope.pattern(of: name) == nil
      && (scope.publishers[name] != nil || lookup(name) != nil)
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

  /// Joins the subjects whose names fit a pattern.
  func pattern(_ set: SubjectSet, at range: Range<Int>) -> Compiled {
    let demand = StageDemand(
      asks: .other(StageDemand.nothing),
      holds: .each("unlimited"),
      full: "requests nothing from the subject whose value waits",
      ends: "never by itself; a subject that ends just leaves"
    )
    let use = NameOfSource.Use()
    return Compiled(
      source: { (_, context) throws(EvaluationError) in
        let counter = context.counters?[0]
        let counters = counter?.countersBelow()
        return MergedPublisher(
          memoryBudget: context.memoryBudget,
          counter: counter,
          names: use.isUsed ? context.work : nil
        ) { join in
          context.subjects(in: set, new: false) { name in
            join(context.subject(name, counters: counters), name)
          }
        }
        .eraseToAnyPublisher()
      },
      kinds: .any,
      stages: [StageDescription(text: set.text, demand: demand, range: range, delay: nil)],
      mentions: Mentions(set),
      nameOfSource: .pattern(use),
      price: StagePrice.pattern,
      priceOfCounting: StagePrice.counter
    )
  }

  /// The names of the subjects that fit a pattern, as they are made.
  func newNames(_ set: SubjectSet, at range: Range<Int>) -> Compiled {
    let demand = StageDemand.source(ends: "never by itself")
    return Compiled(
      source: { (_, context) throws(EvaluationError) in
        NewNames(set: set, context: context, counter: context.counters?[0]).eraseToAnyPublisher()
      },
      kinds: .string,
      stages: [StageDescription(text: text(range), demand: demand, range: range, delay: nil)],
      mentions: Mentions(namesIn: set),
      price: StagePrice.pattern,
      priceOfCounting: StagePrice.counter
    )
  }

  /// Compiles a publisher that a stage has besides its upstream.
  func publisher(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Compiled {
    try recovering(from: syntax) { () throws(Diagnostic) in
      try guarded(syntax, in: scope.below)
    }
  }

  /// As above, if there is one.
  func publisher(_ syntax: Syntax?, in scope: Scope) throws(Diagnostic) -> Compiled? {
    guard let syntax else { return nil }
    return try publisher(syntax, in: scope) as Compiled
  }
}
