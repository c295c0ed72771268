extension ValueCompiler {
  func call(
    _ callee: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    try checkForeign(callee, arguments, at: range)
    var arguments = arguments.map { $0.withPattern(in: scope) }
    if case .member(_, let name) = callee.kind, name.text == "replacing" {
      arguments = try ReplacementTemplate.expanding(arguments)
    }
    switch callee.kind {
    case .name(let name):
      if let object = try object(name, arguments, at: range, in: scope) { return object }
      let name = Identifier(text: name, range: callee.range)
      let entry = try function(name, arguments, at: range)
      return try self.call(entry, nil, arguments, at: range, in: scope)
    case .member(let base, let name):
      if let outcome = callee.outcomeName, arguments.count == 1 {
        return try object([(outcome, arguments[0])], at: range, in: scope)
      }
      if case .name(let type) = base.kind, scope.number(of: type) == nil, !isSource(type),
        let diagnostic = Self.foreign(Identifier(text: type, range: base.range))
          ?? Self.foreign(name)
      {
        throw diagnostic
      }
      let receiver = try operand(base, in: scope)
      let entry = try method(name, of: receiver.kinds, behind: base, arguments, at: range)
      return try self.call(entry, receiver, arguments, at: range, in: scope)
    default: throw Diagnostic("this cannot be called", at: callee.range)
    }
  }

  /// `Order(id: 1, sum: 2)` as the object with these members; the type says nothing.
  private func object(
    _ type: String,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand? {
    guard type.first?.isUppercase ?? false, scope.number(of: type) == nil, !isSource(type),
      FunctionTable.entries(type).isEmpty, OperatorTable.entry(type) == nil
    else { return nil }
    let members = arguments.compactMap { argument in argument.label.map { ($0, argument) } }
    guard !members.isEmpty, members.count == arguments.count else { return nil }
    return try object(members, at: range, in: scope)
  }

  private func object(
    _ members: [(String, Argument)],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let pairs = members.map { name, argument in
      let key = Syntax(kind: .literal(.string(name)), range: argument.range, height: 1)
      return (key: key, value: argument.value)
    }
    return try dictionary(pairs, at: range, in: scope)
  }

  // MARK: Which function is meant

  private func function(
    _ name: Identifier,
    _ arguments: [Argument],
    at range: Range<Int>
  ) throws(Diagnostic) -> FunctionEntry {
    let entries = FunctionTable.entries(name.text).filter { $0.role == .function }
    guard entries.isEmpty else { return try choose(entries, arguments, at: range) }
    if !isSource(name.text),
      let diagnostic = Self.foreign(name, behind: nil, arguments, to: range.upperBound)
    {
      throw diagnostic
    }
    guard OperatorTable.entry(name.text) == nil, !isSource(name.text) else {
      throw Diagnostic("expected a value, but \"\(name.text)\" makes a publisher", at: range)
    }
    if let entry = FunctionTable.entries(name.text).first {
      if entry.role == .value {
        throw Diagnostic("\(name.text) takes no parentheses: \(entry.signature)", at: range)
      }
      throw Diagnostic("\(name.text) must follow a value: \(entry.signature)", at: name.range)
    }
    guard !(name.text.first?.isUppercase ?? false) else {
      let more = "; write an object as \(name.text)(key: value)"
      throw .absent("function", name.text, more, at: name.range)
    }
    let names = FunctionTable.names(of: .function)
    throw .unknown("function", name.text, at: name.range, among: names)
  }

  private func method(
    _ name: Identifier,
    of kinds: Kinds,
    behind base: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>
  ) throws(Diagnostic) -> FunctionEntry {
    let entries = FunctionTable.entries(name.text)
    let methods = entries.filter { $0.role == .method }
    guard !methods.isEmpty else {
      if let entry = entries.first {
        let wanted = entry.role == .property ? "a property" : "a free function"
        throw Diagnostic("\(name.text) is \(wanted): \(entry.signature)", at: range)
      }
      let (start, end) = (range.lowerBound, range.upperBound)
      if let diagnostic = Self.foreign(name, behind: base, arguments, from: start, to: end) {
        throw diagnostic
      }
      if OperatorTable.entry(name.text) != nil {
        throw Diagnostic("\(name.text) needs a publisher, not a value", at: name.range)
      }
      let names = FunctionTable.names(of: .method, .property)
      throw .unknown("function", name.text, at: name.range, among: names)
    }
    let fitting = methods.filter { !$0.receiver.union(.null).isDisjoint(with: kinds) }
    guard !fitting.isEmpty else {
      let wanted = methods.reduce(Kinds()) { $0.union($1.receiver) }
      throw Diagnostic("\(name.text) needs \(wanted.text), not \(kinds.text)", at: name.range)
    }
    return try choose(fitting, arguments, at: range)
  }

  /// The entry that these arguments are for.
  private func choose(
    _ entries: [FunctionEntry],
    _ arguments: [Argument],
    at range: Range<Int>
  ) throws(Diagnostic) -> FunctionEntry {
    if let entry = entries.first(where: { $0.accepts(arguments) }) { return entry }
    let labels = entries.flatMap(\.parameters).compactMap(\.label)
    for argument in arguments {
      guard let label = argument.label, !labels.contains(label) else { continue }
      let place = argument.range.lowerBound..<argument.range.lowerBound + label.count
      throw .unknown("argument", label, of: entries[0].name, at: place, among: labels)
    }
    let signatures = entries.map(\.signature).joined(separator: " or ")
    throw Diagnostic("write \(entries[0].name) as \(signatures)", at: range)
  }
}

extension FunctionEntry {
  /// Whether these arguments are as many, with these labels, and closures in the same places.
  fileprivate func accepts(_ arguments: [Argument]) -> Bool {
    if case .several = body {
      return !arguments.isEmpty
        && arguments.allSatisfy {
          $0.label == nil && !$0.value.isFunction && !$0.value.isPattern
        }
    }
    return arguments.count == parameters.count
      && zip(arguments, parameters).allSatisfy { argument, parameter in
        switch parameter.form {
        case .value:
          argument.label == parameter.label && !argument.value.isFunction
            && !argument.value.isPattern
        case .pattern: argument.label == parameter.label && argument.value.isPattern
        case .closure:
          // A trailing closure has no label.
          argument.value.isFunction && (argument.label ?? parameter.label) == parameter.label
        }
      }
  }
}

// MARK: - Calling it

extension ValueCompiler {
  private func call(
    _ entry: FunctionEntry,
    _ receiver: Operand?,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    var operands = receiver.map { [$0] } ?? []
    var call = FunctionCall(entry: entry, isChained: receiver != nil)
    if let receiver { call.add(receiver, .init(label: nil, form: .value(entry.receiver))) }
    for (index, argument) in arguments.enumerated() {
      let parameter = entry.parameters[min(index, entry.parameters.count - 1)]
      switch parameter.form {
      case .value(let kinds):
        let operand = try operand(argument.value, for: entry.name, needs: kinds, in: scope)
        if case .constant(let value) = operand.form,
          let fault = call.fault(of: value.decoded, for: parameter)
        {
          throw Diagnostic(fault, at: argument.value.range)
        }
        operands.append(operand)
        call.add(operand, parameter)
      case .closure(let arity, let makes):
        let elements = arity == 1 ? receiver?.elements ?? .any : .any
        let isOrder = parameter.label == "by"
        call.closure = try innerClosure(
          isOrder ? argument.value.ordering : argument.value,
          of: Array(repeating: .any, count: arity),
          elements,
          makes: makes,
          in: scope
        )
      case .pattern: call.pattern = try pattern(argument.value)
      }
    }
    var isPure = call.closure == nil && entry.name != "fail"
    if case .alone = entry.body { isPure = false }
    let isOptional = receiver?.kinds.contains(.null) ?? false
    let kinds = isOptional ? entry.gives.union(.null) : entry.gives
    let evaluation: Evaluation = { [call] (locals) throws(EvaluationError) in
      try call.run(&locals)
    }
    var result =
      isPure
      ? try Operand.computed(kinds, of: operands, at: range, isDecoded: false, evaluation)
      : Operand(kinds: kinds, form: .computed(evaluation, isDecoded: false))
    let isSame = entry.elements == .same
    result.elements = isSame ? receiver?.elements ?? .any : entry.elements
    return result
  }

  /// A closure that is given elements which are of a form that is known.
  private func innerClosure(
    _ syntax: Syntax,
    of kinds: [Kinds],
    _ elements: FunctionEntry.Elements,
    makes wanted: Kinds,
    in scope: Scope
  ) throws(Diagnostic) -> InnerClosure {
    var (syntax, kinds) = (syntax, kinds)
    switch elements {
    case .pairs: kinds = [.array(of: 2)]
    case .numbered:
      kinds = [.object]
      if case .closure(let closure) = syntax.kind {
        let spread = try closure.spreadOverNumbered(at: syntax.range)
        syntax = Syntax(kind: .closure(spread), range: syntax.range, height: syntax.height)
      }
    case .any, .same: break
    }
    let body = try function(syntax, of: kinds, in: scope)
    guard !body.kinds.isDisjoint(with: wanted) else {
      throw Diagnostic(
        "the closure must return \(wanted.text), not \(body.kinds.text)",
        at: syntax.range
      )
    }
    return InnerClosure(body: body.evaluation, cost: syntax.count)
  }

  /// The value of a name that needs no arguments, such as `now`.
  func named(_ name: String) -> Operand? {
    guard let entry = FunctionTable.entries(name).first, case .value = entry.role,
      case .alone(let body) = entry.body
    else { return nil }
    return Operand(kinds: entry.gives, form: .computed(body, isDecoded: true))
  }
}
