/// Makes evaluations of expressions that stand for values.
struct ValueCompiler {
  /// Whether a name is that of a subject or pipeline; for the message only.
  let isSource: (String) -> Bool

  func compile(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    switch syntax.kind {
    case .literal(let value): return { (_) throws(Trouble) in value }
    case .name(let name): return load(try number(of: name, at: syntax.range, in: scope))
    case .parameter(let index):
      return load(try number(of: "$\(index)", at: syntax.range, in: scope))
    case .interpolation(let parts): return try interpolation(parts, in: scope)
    case .array(let elements):
      let elements = try all(elements, in: scope)
      return { (frame) throws(Trouble) in .array(try Self.evaluate(elements, in: &frame)) }
    case .dictionary(let pairs): return try dictionary(pairs, in: scope)
    case .member(let base, let name): return try member(base, name.text, in: scope)
    case .element(let base, let index): return try element(base, index, in: scope)
    case .prefix(let sign, let operand): return try prefix(sign, operand, in: scope)
    case .infix(let sign, let left, let right): return try infix(sign, left, right, in: scope)
    case .choice(let condition, let yes, let no):
      return try choice(condition, yes, no, in: scope)
    case .call(let callee, let arguments):
      return try call(callee, arguments, at: syntax.range, in: scope)
    case .implicitMember, .closure, .keyPath:
      throw Diagnostic("a value is needed here", at: syntax.range)
    }
  }

  /// As `compile`, with a value that is not `raw`.
  func decoded(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    let evaluation = try compile(syntax, in: scope)
    switch syntax.kind {
    case .name, .parameter:
      let name: String
      if case .name(let text) = syntax.kind {
        name = text
      } else if case .parameter(let index) = syntax.kind {
        name = "$\(index)"
      } else {
        return evaluation
      }
      let number = try number(of: name, at: syntax.range, in: scope)
      return { (frame) throws(Trouble) in frame.decoded(number) }
    case .literal, .interpolation, .array, .dictionary, .prefix, .infix: return evaluation
    default: return { (frame) throws(Trouble) in try evaluation(&frame).decoded }
    }
  }

  func block(_ block: Block, in scope: Scope) throws(Diagnostic) -> Evaluation {
    guard !block.lets.isEmpty else { return try compile(block.result, in: scope) }
    let (lets, inner) = try self.lets(block, in: scope)
    let result = try compile(block.result, in: inner)
    return { (frame) throws(Trouble) in
      let length = frame.count
      defer { frame.truncate(to: length) }
      for value in lets { frame.append(try value(&frame)) }
      return try result(&frame)
    }
  }

  /// The `let` lines of a block and the scope after them.
  func lets(_ block: Block, in scope: Scope) throws(Diagnostic) -> ([Evaluation], Scope) {
    var scope = scope
    var lets: [Evaluation] = []
    for (name, value) in block.lets {
      lets.append(try compile(value, in: scope))
      scope = scope.adding([name])
    }
    return (lets, scope)
  }

  private func load(_ number: Int) -> Evaluation {
    { (frame) throws(Trouble) in frame[number] }
  }

  private func number(
    of name: String,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Int {
    if let number = scope.number(of: name) { return number }
    if isSource(name) {
      throw Diagnostic("\"\(name)\" is a publisher, and a value is needed here", at: range)
    }
    throw .unknown("value", name, at: range, among: scope.names + ["true", "false", "null"])
  }

  private func all(_ list: [Syntax], in scope: Scope) throws(Diagnostic) -> [Evaluation] {
    var evaluations: [Evaluation] = []
    for syntax in list { evaluations.append(try compile(syntax, in: scope)) }
    return evaluations
  }

  private static func evaluate(
    _ list: [Evaluation],
    in frame: inout Frame
  ) throws(Trouble) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(list.count)
    for evaluation in list { values.append(try evaluation(&frame)) }
    return values
  }
}

// MARK: - Literals

extension ValueCompiler {
  private func interpolation(_ parts: [Syntax], in scope: Scope) throws(Diagnostic) -> Evaluation {
    let parts = try all(parts, in: scope)
    return { (frame) throws(Trouble) in
      var text = ""
      for part in parts {
        let value = try part(&frame).decoded
        if case .string(let string) = value {
          text += string
        } else {
          text += value.withOctets { String(decoding: $0, as: UTF8.self) }
        }
        guard text.utf8.count <= Arithmetic.largest else { throw .fault("the string is too long") }
      }
      return .string(text)
    }
  }

  private func dictionary(
    _ pairs: [(key: Syntax, value: Syntax)],
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    var keys: [Evaluation] = []
    var values: [Evaluation] = []
    for (key, value) in pairs {
      keys.append(try decoded(key, in: scope))
      values.append(try compile(value, in: scope))
    }
    return { [keys, values] (frame) throws(Trouble) in
      var members: [JSONObject.Member] = []
      for (key, value) in zip(keys, values) {
        let name = try key(&frame)
        guard case .string(let text) = name else {
          throw .fault("a key needs a String, not \(name.kind)")
        }
        members.append(JSONObject.Member(key: text, value: try value(&frame)))
      }
      return .object(JSONObject(members: members))
    }
  }
}
