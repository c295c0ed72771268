extension Compiler {
  /// Makes an evaluation of a closure or key path with `arity` arguments, which the frame has to
  /// have behind those of `scope`.
  func function(
    _ syntax: Syntax,
    arity: Int,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    switch syntax.kind {
    case .closure(let closure):
      let inner = try self.scope(closure, at: syntax.range, arity: arity, in: scope)
      return try values.block(closure.body, in: inner)
    case .keyPath(let path) where arity == 1:
      let number = scope.names.count
      return { (frame) throws(Trouble) in
        var value = frame.decoded(number)
        for name in path { value = try ValueCompiler.member(name, of: value) }
        return value
      }
    default: throw Diagnostic("a closure is needed here", at: syntax.range)
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
    let inner = try self.scope(closure, at: syntax.range, arity: 1, in: scope)
    return try branch { (compiler) throws(Diagnostic) in
      try compiler.block(closure.body, in: inner)
    }
  }

  private func scope(
    _ closure: Closure,
    at range: Range<Int>,
    arity: Int,
    in scope: Scope
  ) throws(Diagnostic) -> Scope {
    guard let parameters = closure.parameters else {
      return scope.adding((0..<arity).map { "$\($0)" })
    }
    guard parameters.count == arity else {
      let wanted = arity == 1 ? "one parameter" : "\(arity) parameters"
      throw Diagnostic("the closure is given \(wanted), not \(parameters.count)", at: range)
    }
    return scope.adding(parameters)
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
