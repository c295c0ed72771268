extension OperatorTable {
  static let endings: [OperatorEntry] = [
    ending(
      "subscribe(subject)",
      "Ends a run: sends the values and the completion to the subject.",
      demand: "what the subject grants",
      "orders.map { $0.price }.subscribe(returns)",
      compile: RunDefinition.subscribe
    ),
    ending(
      "assign(to: subject)",
      "Ends a run: sends the values to the subject, which stays open.",
      demand: "what the subject grants",
      "orders.scan(0) { $0 + $1.price }.assign(to: returns)",
      compile: RunDefinition.assign
    ),
  ]
}

extension RunDefinition {
  /// The last call of a run, and its argument.
  struct End {
    let ending: Ending
    /// The argument, which should be the name of a subject.
    let subject: Syntax
  }

  static func subscribe(_ call: SourceCall) throws(Diagnostic) -> End {
    End(ending: .subscribe, subject: try call.arguments(unlabelled: 1).first("a subject"))
  }

  static func assign(_ call: SourceCall) throws(Diagnostic) -> End {
    End(ending: .assign, subject: try call.arguments(unlabelled: 0).required("to"))
  }
}
