import FlowCore

extension Compiler {
  /// A call: of a source, or of an operator behind a publisher.
  mutating func call(
    _ callee: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    switch callee.kind {
    case .name(let name):
      try count(sources: 1, at: range)
      return try stage(OperatorTable.entry(name), arguments, at: range) {
        (compiler) throws(Diagnostic) in
        let name = Name(text: name, range: callee.range)
        return compiler.counted(try compiler.source(name, arguments, in: scope))
      }
    case .member(let base, let name):
      if name.text == "autoconnect" {
        try count(sources: 1, at: range)
        return try stage(OperatorTable.entry("Timer"), base.arguments, at: range) {
          (compiler) throws(Diagnostic) in
          compiler.counted(try compiler.timer(base, arguments, at: name, in: scope))
        }
      }
      if isMember(base, in: scope), OperatorTable.entry(name.text) == nil,
        OperatorTable.hints[name.text] == nil
      {
        let whole = Syntax(kind: .call(callee, arguments), range: range, height: 1)
        throw noPublisher(whole, in: scope)
      }
      if name.text == "publish", case .name("Timer") = base.kind {
        throw Diagnostic("a Timer needs .autoconnect() behind it", at: range)
      }
      if name.text == "switchToLatest" {
        return try switchToLatest(base, name, arguments, at: range, in: scope)
      }
      try checkForeign(base)
      let entry = try operation(name, arguments)
      let upstream = try guarded(base, in: scope)
      let kinds = self.kinds
      try count(1, at: name.range)
      let place = name.range.lowerBound..<range.upperBound
      return try stage(entry, arguments, at: place) { (compiler) throws(Diagnostic) in
        let text = compiler.text(place)
        let index = compiler.isBelow ? nil : compiler.chain.count
        return try compiler.operation(
          Call(
            upstream: upstream,
            kinds: kinds,
            entry: entry,
            name: name,
            list: arguments,
            text: text,
            number: StageNumber(index: index)
          ),
          in: scope
        )
      }
    case .implicitMember:
      let message = "nothing stands before the dot; a pipeline begins with a source"
      throw Diagnostic(message, at: callee.range)
    default: throw Diagnostic("this can not be called", at: callee.range)
    }
  }

  private func operation(
    _ name: Name,
    _ list: [Argument]
  ) throws(Diagnostic) -> OperatorEntry {
    // Combine has two called subscribe; this one is like receive(on:).
    let isOnQueue = name.text == "subscribe" && list.first?.label == "on"
    switch OperatorTable.entry(isOnQueue ? "receive" : name.text) {
    case let entry? where entry.role == .stage: return entry
    case let entry? where entry.role == .ending:
      throw Diagnostic("\(name.text) ends a RUN, and is no stage", at: name.range)
    default: throw OperatorTable.unknown(name)
    }
  }

  /// `map { … }.switchToLatest()` is one stage, since publishers are no values.
  private mutating func switchToLatest(
    _ base: Syntax,
    _ name: Name,
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    let entry = try operation(name, list)
    _ = try Arguments(list, of: entry, at: name.range, unlabelled: 0)
    guard case .call(let callee, let arguments) = base.kind,
      case .member(let source, let map) = callee.kind, OperatorTable.entry(map.text)?.name == "map"
    else {
      throw Diagnostic(
        "switchToLatest needs a map right before it whose closure ends in a publisher",
        at: name.range
      )
    }
    let upstream = try guarded(source, in: scope)
    let kinds = self.kinds
    try count(1, at: name.range)
    let place = map.range.lowerBound..<range.upperBound
    return try stage(entry, arguments, at: place) { (compiler) throws(Diagnostic) in
      let text = compiler.text(place)
      let call = Call(
        upstream: upstream,
        kinds: kinds,
        entry: entry,
        name: map,
        list: arguments,
        text: text
      )
      return compiler.counted(try compiler.flatMapLatest(call, in: scope))
    }
  }

  /// A source that fails as a stream when it can not be made, so that what is behind it can tell.
  mutating func guarded(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Source {
    let source = try compile(syntax, in: scope)
    let stage = text(syntax.range)
    return { (frame, context) throws(Trouble) in
      do throws(Trouble) {
        return try source(&frame, context)
      } catch {
        return .failing(PipelineFailure(error, stage: stage))
      }
    }
  }

  private mutating func source(
    _ name: Name,
    _ list: [Argument],
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    guard let entry = OperatorTable.entry(name.text), entry.role == .source,
      !["publisher", "Timer"].contains(name.text)
    else {
      try checkForeign(name)
      if isPublisher(name.text, in: scope) {
        throw Diagnostic("\(name.text) is a publisher, and takes no arguments", at: name.range)
      }
      if let entry = OperatorTable.entry(name.text), entry.role == .stage {
        let message = "\(name.text) stands behind a publisher: \(entry.signature)"
        throw Diagnostic(message, at: name.range)
      }
      throw .unknown("source", name.text, at: name.range, among: OperatorTable.sourceNames)
    }
    kinds = name.text == "ask" ? .any : []
    if name.text == "ask" { return try ask(name, entry, list, in: scope) }
    let most = name.text == "Empty" ? 0 : 1
    let arguments = try Arguments(list, of: entry, at: name.range, unlabelled: most)
    switch name.text {
    case "Empty":
      let isImmediate = try optional(arguments.labelled("completeImmediately")) {
        (syntax) throws(Diagnostic) in try flag(syntax, in: scope)
      }
      return { (frame, _) throws(Trouble) in
        Empty(completeImmediately: try isImmediate?(&frame) ?? true).eraseToAnyPublisher()
      }
    case "Deferred": return try deferred(arguments, in: scope)
    case "Just":
      let operand = try values.operand(arguments.first("a value"), in: scope)
      kinds = operand.kinds
      let value = operand.evaluation
      return { (frame, _) throws(Trouble) in
        Just(try value(&frame)).setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
      }
    default:
      guard let error = arguments.labelled("error") ?? arguments.unlabelled.first else {
        throw arguments.missing("a text")
      }
      if let name = caseName(error, in: scope) {
        return { (_, _) throws(Trouble) in throw .failed(name) }
      }
      let text = try values.compile(error, in: scope)
      return { (frame, _) throws(Trouble) in throw .failed(try text(&frame).plainText) }
    }
  }

  /// The case in `MyError.closed` or `.closed`, the type of which says nothing here.
  func caseName(_ syntax: Syntax, in scope: Scope) -> String? {
    switch syntax.kind {
    case .implicitMember(let name): return name.text
    case .member(let base, let name):
      guard case .name(let type) = base.kind, scope.number(of: type) == nil,
        type.first?.isUppercase ?? false, lookup(type) == nil
      else { return nil }
      return name.text
    default: return nil
    }
  }

  /// `Deferred { … }`.
  private mutating func deferred(
    _ arguments: Arguments,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    let make = try publisherFunction(arguments.function(), of: [], in: scope)
    return { (frame, context) throws(Trouble) in
      let outer = frame.captured
      return Deferred { () -> Stream in
        var frame = Frame(outer)
        defer { outer.charge(frame) }
        do throws(Trouble) {
          return try make(&frame, context.below)
        } catch {
          return .failing(PipelineFailure(error, stage: "Deferred"))
        }
      }.eraseToAnyPublisher()
    }
  }

  /// `[…].publisher` and `(1...3).publisher`.
  mutating func sequence(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = .int
    if case .infix(let sign, let low, let high) = base.kind, sign == "..." || sign == "..<" {
      let parts = [low, high]
      let low = try integer(low, atLeast: .min, in: scope)
      let high = try integer(high, atLeast: .min, in: scope)
      let bounds = { (frame: inout Frame) throws(Trouble) -> Range<Int> in
        let (low, high) = (try low(&frame), try high(&frame))
        let end = sign == "..." ? high.addingReportingOverflow(1) : (high, false)
        if end.1 { throw .fault("a range that is published needs an end") }
        guard low <= end.0 else { throw .fault("a range can not go down") }
        return low..<end.0
      }
      try check(bounds, of: parts, at: base.range, in: scope)
      return { (frame, context) throws(Trouble) in
        let range = try bounds(&frame)
        // The two may be further apart than an Int can tell.
        let (length, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        let isShort = !overflow && length <= Self.fewElements
        return Self.publish(range.lazy.map(Value.int), isShort: isShort, at: context.pace)
      }
    }
    let array = try elements(base, in: scope).decoded
    let elements = { (frame: inout Frame) throws(Trouble) -> [Value] in
      let value = try array(&frame)
      guard case .array(let elements) = value else {
        throw .fault("publisher needs an array or a range, not \(value.kind)")
      }
      return elements.elements
    }
    return { (frame, context) throws(Trouble) in
      let elements = try elements(&frame)
      let isShort = elements.count <= Self.fewElements
      return Self.publish(elements, isShort: isShort, at: context.pace)
    }
  }

  /// An array, the elements of which are published.
  private mutating func elements(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> Operand {
    let operand = try values.operand(base, in: scope)
    guard !operand.kinds.isDisjoint(with: .array) else {
      throw Diagnostic(
        "publisher needs an array or a range, not \(operand.kinds.text)",
        at: base.range
      )
    }
    kinds = .any
    if case .array(let elements) = base.kind {
      kinds = try values.operands(elements, in: scope).reduce([]) { $0.union($1.kinds) }
    }
    return operand
  }

  /// So many values are sent at once.
  private static let fewElements = 16

  /// A few values come at once, which costs `flatMap` no subscription; many come at a pace.
  private static func publish(
    _ values: some Collection<Value>,
    isShort: Bool,
    at pace: Pace
  ) -> Stream {
    isShort
      ? Publishers.Sequence(sequence: values).eraseToAnyPublisher()
      : PacedSequence(elements: values, pace: pace).eraseToAnyPublisher()
  }

  private mutating func timer(
    _ base: Syntax,
    _ list: [Argument],
    at name: Name,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    guard case .call(let callee, let arguments) = base.kind,
      case .member(let type, let publish) = callee.kind, publish.text == "publish",
      case .name("Timer") = type.kind, let entry = OperatorTable.entry("Timer"), list.isEmpty
    else {
      if case .call(let callee, _) = base.kind, case .member(_, let name) = callee.kind,
        OperatorTable.hints[name.text] != nil
      {
        _ = try operation(name, [])
      }
      throw Diagnostic("autoconnect() belongs behind Timer.publish(every: …)", at: name.range)
    }
    let checked = try Arguments(arguments, of: entry, at: callee.range, unlabelled: 0)
    kinds = .int
    let every = try time(checked.required("every"), atLeast: Ticks.shortest, in: scope)
    try acceptQueue(checked.labelled("on"))
    if let mode = checked.labelled("in"), mode.lastName == nil {
      throw Diagnostic("a mode is needed here, as in .common", at: mode.range)
    }
    return { (frame, context) throws(Trouble) in
      Ticks(interval: .nanoseconds(try every(&frame)), context: context).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// What stands in the parentheses of a call.
  fileprivate var arguments: [Argument] {
    if case .call(_, let arguments) = kind { arguments } else { [] }
  }
}
