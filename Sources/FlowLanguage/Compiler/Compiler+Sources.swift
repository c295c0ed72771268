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
      return try stage(OperatorTable.entry(name), arguments, at: range) {
        (compiler) throws(Diagnostic) in
        let name = Name(text: name, range: callee.range)
        return compiler.counted(try compiler.source(name, arguments, in: scope))
      }
    case .member(let base, let name):
      if name.text == "autoconnect" {
        return try stage(OperatorTable.entry("Timer"), base.arguments, at: range) {
          (compiler) throws(Diagnostic) in
          compiler.counted(try compiler.timer(base, arguments, at: name, in: scope))
        }
      }
      if name.text == "publish", case .name("Timer") = base.kind {
        throw Diagnostic("a Timer needs .autoconnect() behind it", at: range)
      }
      let entry = try operation(name)
      let upstream = try guarded(base, in: scope)
      try count(1, at: name.range)
      let place = name.range.lowerBound..<range.upperBound
      return try stage(entry, arguments, at: place) { (compiler) throws(Diagnostic) in
        let text = compiler.text(place)
        let index = compiler.isBelow ? nil : compiler.chain.count
        return try compiler.operation(
          Call(
            upstream: upstream,
            entry: entry,
            name: name,
            list: arguments,
            text: text,
            index: index
          ),
          in: scope
        )
      }
    default: throw Diagnostic("this can not be called", at: callee.range)
    }
  }

  private func operation(_ name: Name) throws(Diagnostic) -> OperatorEntry {
    switch OperatorTable.entry(name.text) {
    case let entry? where entry.role == .stage: return entry
    case let entry? where entry.role == .ending:
      throw Diagnostic("\(name.text) ends a RUN, and is no stage", at: name.range)
    default:
      throw .unknown("operator", name.text, at: name.range, among: OperatorTable.operators)
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
      throw .unknown("source", name.text, at: name.range, among: OperatorTable.sourceNames)
    }
    if name.text == "ask" { return try ask(name, entry, list, in: scope) }
    let most = name.text == "Empty" ? 0 : 1
    let arguments = try Arguments(list, of: entry, at: name.range, unlabelled: most)
    if name.text == "Empty" {
      return { (_, _) throws(Trouble) in Empty().eraseToAnyPublisher() }
    }
    let value = try values.compile(arguments.first("a value"), in: scope)
    if name.text == "Just" {
      return { (frame, _) throws(Trouble) in
        Self.publish([try value(&frame)])
      }
    }
    return { (frame, _) throws(Trouble) in
      throw .failed(try value(&frame).plainText)
    }
  }

  /// `[…].publisher` and `(1...3).publisher`.
  func sequence(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> Source {
    if case .infix(let sign, let low, let high) = base.kind, sign == "..." || sign == "..<" {
      let low = try integer(low, atLeast: .min, in: scope)
      let high = try integer(high, atLeast: .min, in: scope)
      return { (frame, _) throws(Trouble) in
        let (low, high) = (try low(&frame), try high(&frame))
        let end = sign == "..." ? high.addingReportingOverflow(1) : (high, false)
        guard low <= end.0, !end.1 else { throw .fault("a range can not go down") }
        return Self.publish((low..<end.0).lazy.map(Value.int))
      }
    }
    let array = try values.decoded(base, in: scope)
    return { (frame, _) throws(Trouble) in
      let value = try array(&frame)
      guard case .array(let elements) = value else {
        throw .fault("publisher needs an array or a range, not \(value.kind)")
      }
      return Self.publish(elements.elements)
    }
  }

  private static func publish(_ values: some Sequence<Value>) -> Stream {
    Publishers.Sequence(sequence: values).eraseToAnyPublisher()
  }

  private func timer(
    _ base: Syntax,
    _ list: [Argument],
    at name: Name,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    guard case .call(let callee, let arguments) = base.kind,
      case .member(let type, let publish) = callee.kind, publish.text == "publish",
      case .name("Timer") = type.kind, let entry = OperatorTable.entry("Timer"), list.isEmpty
    else {
      throw Diagnostic("autoconnect() belongs behind Timer.publish(every: …)", at: name.range)
    }
    let taken = arguments.filter { $0.label != "on" && $0.label != "in" }
    let checked = try Arguments(taken, of: entry, at: callee.range, unlabelled: 0)
    let every = try time(checked.required("every"), in: scope)
    return { (frame, context) throws(Trouble) in
      let nanoseconds = try every(&frame)
      guard nanoseconds > 0 else { throw .fault("a Timer needs a time above 0") }
      return Ticks(interval: .nanoseconds(nanoseconds), context: context).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// What stands in the parentheses of a call.
  fileprivate var arguments: [Argument] {
    if case .call(_, let arguments) = kind { arguments } else { [] }
  }
}
