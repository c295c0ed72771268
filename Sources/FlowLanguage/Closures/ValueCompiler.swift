import Spelling

/// Makes evaluations of expressions that stand for values.
struct ValueCompiler {
  let size: PipelineSize
  /// Whether a name is that of a subject or pipeline; for the message only.
  let isSource: (String) -> Bool
  /// The mistakes found in a closure, behind which it continues; nil: the first one is thrown.
  var mistakes: Mistakes?

  func compile(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    try operand(syntax, in: scope).evaluation
  }

  /// As `compile`, with a value that is decoded.
  func decoded(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    try operand(syntax, in: scope).decoded
  }

  func operand(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Operand {
    do throws(Diagnostic) {
      return try correctOperand(syntax, in: scope)
    } catch {
      guard let mistakes, mistakes.add(error) else { throw error }
      // It may be anything, so that no other mistakes follow from this one.
      return Operand(
        kinds: .any,
        form: .computed({ (_) throws(EvaluationError) in .null }, isDecoded: true)
      )
    }
  }

  private func correctOperand(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let range = syntax.range
    switch syntax.kind {
    case .literal(let value): return .constant(value)
    case .name(let name): return try slot(name, at: range, in: scope)
    case .parameter(let index): return try slot("$\(index)", at: range, in: scope)
    case .interpolation(let parts): return try interpolation(parts, at: range, in: scope)
    case .array(let elements): return try array(elements, at: range, in: scope)
    case .dictionary(let pairs): return try dictionary(pairs, at: range, in: scope)
    case .member(let base, let name):
      return try member(base, name, from: range.lowerBound, in: scope)
    case .element(let base, let index): return try element(base, index, at: range, in: scope)
    case .prefix(let sign, let operand):
      return try prefix(sign, operand, at: range, in: scope)
    case .infix(let sign, let left, let right):
      return try infix(sign, left, right, at: range, in: scope)
    case .choice(let condition, let yes, let no):
      return try choice(condition, yes, no, in: scope)
    case .selection(let selection): return try self.selection(selection, in: scope)
    case .call(let callee, let arguments):
      return try call(callee, arguments, at: range, in: scope)
    case .closure:
      throw Diagnostic("expected a value, found a closure", at: range)
    case .keyPath:
      throw Diagnostic("expected a value, found a key path", at: range)
    case .pattern:
      let message = "expected a value, found a regular expression; use text.contains(/…/)"
      throw Diagnostic(message, at: range)
    case .implicitMember(let name):
      let meant = scope.number(of: "$0").map { _ in "$0.\(name.text)" }
      throw Diagnostic("expected a value before the dot", at: range, suggestion: meant)
    case .unread(let mistake): throw mistake
    }
  }

  /// An operand that has to be of one of `kinds`, as far as is known.
  func operand(
    _ syntax: Syntax,
    for what: String,
    needs kinds: Kinds,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let operand = try operand(syntax, in: scope)
    guard !operand.kinds.isDisjoint(with: kinds) else {
      throw Diagnostic("\(what) needs \(kinds.text), not \(operand.kinds.text)", at: syntax.range)
    }
    return operand
  }

  private func slot(
    _ name: String,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    if let number = scope.number(of: name) {
      return Operand(kinds: scope.entries[number].kinds, form: .slot(number))
    }
    if scope.pattern(of: name) != nil {
      let message = "expected a value, found the regular expression \"\(name.excerpt())\""
      throw Diagnostic("\(message); use text.contains(\(name.excerpt()))", at: range)
    }
    if let operand = named(name) { return operand }
    if name == "$name" { return try nameOfSource(at: range, in: scope) }
    if isSource(name) {
      throw Diagnostic("expected a value, found the publisher \"\(name.excerpt())\"", at: range)
    }
    if let function = FunctionTable.all.first(where: { $0.name == name && $0.role == .function }) {
      throw Diagnostic("\(name) needs arguments: \(function.signature)", at: range)
    }
    if let word = ForeignWord.row(name, .sign) {
      throw word.diagnostic(Identifier(text: name, range: range))
    }
    let names = scope.names.filter { !$0.isEmpty && !$0.hasPrefix("_") }
    throw .unknown(
      "value",
      name,
      at: range,
      among: names + ["true", "false", "null"],
      instead: (1...4) ~= names.count ? "expected \(names.joined(separator: ", "))" : nil
    )
  }

  func operands(_ list: [Syntax], in scope: Scope) throws(Diagnostic) -> [Operand] {
    var operands: [Operand] = []
    for syntax in list { operands.append(try operand(syntax, in: scope)) }
    return operands
  }

  static func evaluate(
    _ list: [Evaluation],
    in locals: inout Locals
  ) throws(EvaluationError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(list.count)
    for evaluation in list { values.append(try evaluation(&locals)) }
    return values
  }
}

// MARK: - Blocks and closures

extension ValueCompiler {
  func block(_ block: Block, in scope: Scope) throws(Diagnostic) -> Operand {
    guard !block.lets.isEmpty else { return try operand(block.result, in: scope) }
    let (lets, inner) = try self.lets(block, in: scope)
    let result = try operand(block.result, in: inner)
    let evaluation = result.evaluation
    return Operand(
      kinds: result.kinds,
      form: .computed(
        { (locals) throws(EvaluationError) in
          let length = locals.count
          defer { locals.truncate(to: length) }
          for value in lets { locals.append(try value(&locals)) }
          return try evaluation(&locals)
        },
        isDecoded: false
      )
    )
  }

  /// The `let` lines of a block and the scope after them.
  func lets(_ block: Block, in scope: Scope) throws(Diagnostic) -> ([Evaluation], Scope) {
    var scope = scope
    var lets: [Evaluation] = []
    for (name, value) in block.lets {
      if value.isPattern {
        // Each use compiles it anew; what is wrong with it is told where it stands, used or not.
        _ = try pattern(value)
        scope = scope.adding(name, asPattern: value)
        continue
      }
      let operand = try operand(value, in: scope)
      lets.append(operand.part)
      scope = scope.adding([Scope.Entry(name: name, kinds: operand.kinds)])
    }
    return (lets, scope)
  }

  /// A closure or key path with arguments of these kinds, which the locals has to have behind those
  /// of `scope`.
  func function(
    _ syntax: Syntax,
    of kinds: [Kinds],
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    switch syntax.kind {
    case .closure(let closure):
      let closure = try closure.spread(over: kinds, at: syntax.range)
      let inner = try self.scope(closure, at: syntax.range, of: kinds, in: scope)
      return try block(closure.body, in: inner)
    case .keyPath(let path) where kinds.count == 1:
      let body = Syntax.following(path, at: syntax.range)
      return try operand(body, in: scope.adding([Scope.Entry(name: "$0", kinds: kinds[0])]))
    default: throw Diagnostic("expected a closure", at: syntax.range)
    }
  }

  /// The scope inside of a closure that is given arguments of these kinds.
  func scope(
    _ closure: Closure,
    at range: Range<Int>,
    of kinds: [Kinds],
    in scope: Scope
  ) throws(Diagnostic) -> Scope {
    // What is null at first, or never there, says nothing of what may come.
    let kinds = kinds.map { Kinds.null.isSuperset(of: $0) ? .any : $0 }
    guard let parameters = closure.parameters else {
      return scope.adding(kinds.indices.map { "$\($0)" }, of: kinds, in: closure.body)
    }
    guard parameters.count == kinds.count else {
      let wanted =
        ["no parameters", "one parameter"].dropFirst(kinds.count).first
        ?? "\(kinds.count) parameters"
      throw Diagnostic("the closure takes \(wanted), not \(parameters.count)", at: range)
    }
    return scope.adding(parameters, of: kinds, in: closure.body)
  }
}
