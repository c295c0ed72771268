import FlowCore

extension OperatorTable {
  static let erasing: [OperatorEntry] = [
    stage(
      "eraseToAnyPublisher()",
      "Has no effect; accepted for compatibility with Combine.",
      demand: .same("the same"),
      "taps.eraseToAnyPublisher()",
      MarbleExample("taps.eraseToAnyPublisher()", ["taps": "1-2-|"], gives: "1-2-|"),
      traits: [.passesAll, .keepsName],
      price: 0,
      compile: Compiler.eraseToAnyPublisher
    )
  ]
}

extension Compiler {
  func eraseToAnyPublisher(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return CompiledStage(source: call.upstream, kinds: call.kinds)
  }
}
