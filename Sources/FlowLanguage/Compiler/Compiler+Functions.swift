extension Compiler {
  /// Makes an evaluation of a closure or key path with `arity` arguments, which the frame has to
  /// have behind those of `scope`; what it makes has to be of one of `kinds`, as far as is known.
  func function(
    _ syntax: Syntax,
    arity: Int,
    makes kinds: Kinds = .any,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    let operand = try values.function(syntax, arity: arity, in: scope)
    guard !operand.kinds.isDisjoint(with: kinds) else {
      throw Diagnostic(
        "the closure has to make \(kinds.text), not \(operand.kinds.text)",
        at: syntax.range
      )
    }
    let evaluation = operand.evaluation
    guard !operand.kinds.isDisjoint(with: [.string, .array, .object]) else { return evaluation }
    return { (frame) throws(Trouble) in
      let value = try evaluation(&frame)
      try value.checkSize()
      return value
    }
  }

  /// Makes a source of a closure with one argument that ends in a publisher.
  mutating func publisherFunction(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    guard case .closure(let closure) = syntax.kind else {
      throw Diagnostic("a closure is needed here", at: syntax.range)
    }
    let inner = try values.scope(closure, at: syntax.range, arity: 1, in: scope)
    return try branch { (compiler) throws(Diagnostic) in
      try compiler.block(closure.body, in: inner)
    }
  }
}

// MARK: - Arguments that are no closures

extension Compiler {
  /// Makes an evaluation of a whole number not below `least`; checked at once where that can be.
  func integer(
    _ syntax: Syntax,
    atLeast least: Int,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Frame) throws(Trouble) -> Int {
    let value = try values.decoded(syntax, in: scope)
    let number = { (frame: inout Frame) throws(Trouble) -> Int in
      guard case .int(let number) = try value(&frame), number >= least else {
        throw .fault("a whole number from \(least) on is needed")
      }
      return number
    }
    try check(number, at: syntax.range, in: scope)
    return number
  }

  /// The names of units of time, each in nanoseconds.
  static let unitsOfTime = [
    "seconds": 1e9, "milliseconds": 1e6, "microseconds": 1e3, "nanoseconds": 1,
  ]

  /// Makes an evaluation of a time: seconds, or `.milliseconds(5)` and its like; in nanoseconds.
  func time(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Frame) throws(Trouble) -> Int {
    var amount = syntax
    var unit = 1e9
    if case .call(let callee, let arguments) = syntax.kind, let name = callee.lastName {
      guard let length = Self.unitsOfTime[name.text] else {
        let names = Self.unitsOfTime.keys.sorted()
        throw .unknown("unit of time", name.text, at: name.range, among: names)
      }
      guard arguments.count == 1, arguments[0].label == nil else {
        throw Diagnostic("\(name.text) takes one number", at: syntax.range)
      }
      amount = arguments[0].value
      unit = length
    }
    let value = try values.decoded(amount, in: scope)
    let time = { (frame: inout Frame) throws(Trouble) -> Int in
      let nanoseconds: Double
      switch try value(&frame) {
      case .int(let number): nanoseconds = Double(number) * unit
      case .double(let number): nanoseconds = number * unit
      default: throw .fault("a time is needed, as in 0.5 or .milliseconds(500)")
      }
      guard nanoseconds >= 0, nanoseconds < 3e18 else {
        throw .fault("a time from 0 to 90 years is needed")
      }
      return Int(nanoseconds.rounded())
    }
    try check(time, at: syntax.range, in: scope)
    return time
  }

  /// Accepts a queue as Combine has it, which here means the clock.
  func acceptQueue(_ syntax: Syntax?) throws(Diagnostic) {
    guard let syntax else { return }
    guard ["DispatchQueue.main", "RunLoop.main", ".main"].contains(text(syntax.range)) else {
      throw Diagnostic(
        "there is no such scheduler",
        at: syntax.range,
        suggestion: "DispatchQueue.main"
      )
    }
  }

  private func check<R>(
    _ evaluation: (inout Frame) throws(Trouble) -> R,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) {
    guard scope.names.isEmpty else { return }
    var frame = Frame()
    do {
      _ = try evaluation(&frame)
    } catch {
      switch error {
      case .fault(let message), .failed(let message): throw Diagnostic(message, at: range)
      }
    }
  }
}

extension Syntax {
  /// The name of `.name` or `Type.name`.
  var lastName: Name? {
    switch kind {
    case .implicitMember(let name): name
    case .member(let base, let name):
      if case .name = base.kind { name } else { nil }
    default: nil
    }
  }
}
