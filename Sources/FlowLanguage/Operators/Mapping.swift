import FlowCore

extension OperatorTable {
  static let mapping: [OperatorEntry] = [
    stage(
      "map { value in … }",
      "Publishes the result of the closure or key path for each value.",
      demand: .same("the same"),
      "orders.map { $0.price * $0.quantity }",
      MarbleExample("taps.map { $0 * 2 }", ["taps": "1-2-3-|"], gives: "2-4-6-|"),
      traits: [.passesAll, .keepsName],
      price: 192,
      compile: Compiler.map
    ),
    stage(
      "compactMap { value in … }",
      "Like map, but drops null.",
      demand: .same("the same, and 1 more for each value filtered out"),
      "orders.compactMap { $0.total }",
      MarbleExample(
        "taps.compactMap { $0 == 2 ? null : $0 * 10 }",
        ["taps": "1-2-3-4|"],
        asking: "2",
        gives: "'10'---'30'--|"
      ),
      traits: [.keepsName],
      price: 240,
      compile: Compiler.compactMap
    ),
    stage(
      "replaceNil(with: value)",
      "Publishes the value in place of null.",
      demand: .same("the same"),
      "orders.map(\\.total).replaceNil(with: 0)",
      MarbleExample("taps.replaceNil(with: 0)", ["taps": "1-'null'-3|"], gives: "1-0-3|"),
      traits: [.passesAll, .isCostly, .keepsName],
      price: 368,
      compile: Compiler.replaceNil
    ),
  ]
}

extension Compiler {
  func map(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try each(call, publishes: .any, passesItsValue: true, .publish(.everything), in: scope)
  }

  func compactMap(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try each(call, publishes: .any.subtracting(.null), .publish(.unlessNull), in: scope)
  }

  func replaceNil(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (value, kinds) = try replacement(call, instead: .null, in: scope)
    return call.stage(publishes: kinds) { (upstream, locals, _) throws(EvaluationError) in
      let replacement = try value(&locals)
      return upstream.map { value in
        if case .null = value.decoded { replacement } else { value }
      }.eraseToAnyPublisher()
    }
  }
}
