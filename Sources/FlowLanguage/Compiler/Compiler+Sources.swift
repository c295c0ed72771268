extension Compiler {
  /// A call: of a source, or of an operator behind a publisher.
  func call(
    _ callee: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    try checkForeignSource(callee, arguments, to: range.upperBound)
    switch callee.kind {
    case .name(let name):
      try size.add(sources: 1, at: range)
      return try source(
        Identifier(text: name, range: callee.range),
        arguments,
        at: range,
        in: scope
      )
    case .member(let base, let name):
      let entry = OperatorTable.entry(name.text)
      if let entry, case .tail(let compile) = entry.form {
        let tail = Tail(entry: entry, base: base, name: name, list: arguments, range: range)
        return try compile(self)(tail, scope)
      }
      if isMember(base, in: scope), entry == nil, !ForeignWord.isAdvised(against: name.text) {
        let whole = Syntax(kind: .call(callee, arguments), range: range, height: 1)
        throw noPublisher(whole, in: scope)
      }
      if name.text == "publish", case .name("Timer") = base.kind {
        throw Diagnostic("a Timer must be followed by .autoconnect()", at: range)
      }
      try checkForeign(base)
      if entry?.role == .source { throw OperatorTable.unknown(name) }
      let upstream = try upstream(base, of: name, in: scope)
      let (operation, compile) = try operation(name, arguments, behind: base, to: range.upperBound)
      try size.add(stages: 1, at: name.range)
      let place = name.range.lowerBound..<range.upperBound
      let isCostly = operation.traits.contains(.isCostly)
      let call = StageCall(
        upstream: isCostly ? Self.paced(upstream.source) : upstream.source,
        kinds: upstream.kinds,
        entry: operation,
        name: name,
        list: arguments,
        text: text(place),
        place: upstream.stages.count,
        readsAnew: upstream.readsAnew,
        price: upstream.price + upstream.priceOfCounting,
        number: StageNumber(
          index: scope.isBelow ? nil : upstream.stages.count,
          place: upstream.chain.map { ($0, upstream.stages.count) }
        )
      )
      let inside = scope.naming(upstream.nameOfSource.inside(operation, call.text))
      let stage = try compile(self)(call, inside)
      return compiled(stage, of: operation, arguments, at: place, behind: upstream, in: scope)
    case .implicitMember:
      let message = "expected a source before the dot"
      throw Diagnostic(message, at: callee.range)
    default: throw Diagnostic("this cannot be called", at: callee.range)
    }
  }

  private func operation(
    _ name: Identifier,
    _ list: [Argument],
    behind base: Syntax,
    to end: Int
  ) throws(Diagnostic) -> (OperatorEntry, OperatorEntry.CompileStage) {
    // Combine has two called subscribe; this one is like receive(on:).
    let isOnQueue = name.text == "subscribe" && list.first?.label == "on"
    guard let entry = OperatorTable.entry(isOnQueue ? "receive" : name.text) else {
      throw OperatorTable.unknown(name, ForeignCall(list, behind: base, in: text), to: end)
    }
    switch entry.form {
    case .stage(let compile): return (entry, compile)
    case .ending where list.contains(where: \.value.isFunction):
      let instead = "SUB is the sink, or RUN into a subject"
      throw Diagnostic("\(name.text) is not available in a pipeline: \(instead)", at: name.range)
    case .ending:
      let message = "\(name.text) ends a RUN and is not a stage; SUB is the sink of a pipeline"
      throw Diagnostic(message, at: name.range).marked(.endsRun)
    case .source, .property, .head, .tail: throw OperatorTable.unknown(name)
    }
  }

  /// Compiles what stands before the operator called `name`.
  private func upstream(
    _ base: Syntax,
    of name: Identifier,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    // The closure of the map before it ends in a publisher, which only the two together may.
    if ForeignWord.isFlattening(name.text), case .call(let callee, _) = base.kind,
      case .member(let source, _) = callee.kind
    {
      return try upstream(source, of: name, in: scope)
    }
    // Below a stage, what cannot be made is a value that the stage leaves out, unless this one tells.
    let tells = ["catch", "replaceError"].contains(OperatorTable.entry(name.text)?.name)
    return try recovering(from: base) { () throws(Diagnostic) in
      try scope.isBelow && !tells ? compile(base, in: scope) : guarded(base, in: scope)
    }
  }

  /// A source that fails as a stream when it cannot be made, so that what is behind it can tell.
  func guarded(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Compiled {
    var compiled = try compile(syntax, in: scope)
    compiled.source = {
      [source = compiled.source, stage = text(syntax.range)]
      (locals, context) throws(EvaluationError) in
      do throws(EvaluationError) {
        return try source(&locals, context)
      } catch {
        return .failing(PipelineFailure(error, stage: stage))
      }
    }
    return compiled
  }

  private func source(
    _ name: Identifier,
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    guard let entry = OperatorTable.entry(name.text), case .source(let compile) = entry.form else {
      try checkForeign(name)
      if isPublisher(name.text, in: scope) {
        throw Diagnostic("\(name.text) is a publisher and takes no arguments", at: name.range)
      }
      if let entry = OperatorTable.entry(name.text), entry.role == .stage {
        let message = "\(name.text) must follow a publisher: \(entry.signature)"
        throw Diagnostic(message, at: name.range)
      }
      throw .unknown("source", name.text, at: name.range, among: OperatorTable.sourceNames)
    }
    let stage = try compile(self)(SourceCall(entry: entry, name: name, list: list), scope)
    return compiled(stage, of: entry, list, at: range, in: scope)
  }
}
