import FlowCore

extension Compiler {
  mutating func flatMap(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let most = try demand(arguments.labelled("maxPublishers"), in: scope)
    let make = try publishers(arguments.function(), of: call, in: scope)
    let stage = call.text
    return call.source { (upstream, frame, context) throws(Trouble) in
      let (outer, below, most) = (frame.captured, context.below, try most(&frame))
      return upstream.flatMap(maxPublishers: most) { make(outer, below, $0) }
        .bounded(by: context, stage, hint: "; maxPublishers: bounds them")
    }
  }

  mutating func concatMap(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let make = try publishers(call.arguments(unlabelled: 1).function(), of: call, in: scope)
    return call.source { (upstream, frame, context) throws(Trouble) in
      let (outer, below) = (frame.captured, context.below)
      return upstream.flatMap(maxPublishers: .max(1)) { make(outer, below, $0) }
        .eraseToAnyPublisher()
    }
  }

  /// `flatMapLatest`, and `map` with `switchToLatest` behind it.
  mutating func flatMapLatest(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let make = try publishers(call.arguments(unlabelled: 1).function(), of: call, in: scope)
    return call.source { (upstream, frame, context) throws(Trouble) in
      let (outer, below) = (frame.captured, context.below)
      return upstream.flatMapLatest { make(outer, below, $0) }.eraseToAnyPublisher()
    }
  }

  /// What a closure makes of a value: a publisher, which fails where the closure does.
  private mutating func publishers(
    _ syntax: Syntax,
    of call: Call,
    in scope: Scope
  ) throws(Diagnostic) -> (Frame.Captured, any PipelineContext, Value) -> Stream {
    let body = try publisherFunction(syntax, of: [call.kinds], in: scope)
    let stage = call.text
    return { outer, below, value in
      if let failure = below.holdings.refusalOfInner { return .failing(failure) }
      var frame = Frame(outer, value)
      do throws(Trouble) {
        return try body(&frame, below)
      } catch {
        return .failing(PipelineFailure(error, stage: stage, value: value))
      }
    }
  }

  /// `.max(n)`, `.unlimited`, or a bare number from 1 on.
  private func demand(
    _ syntax: Syntax?,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Frame) throws(Trouble) -> Subscribers.Demand {
    guard var number = syntax else { return { (_) throws(Trouble) in .unlimited } }
    if let name = number.lastName {
      guard name.text == "unlimited" else {
        throw .unknown("demand", ".\(name.text)", at: name.range, among: [".unlimited", ".max(1)"])
      }
      return { (_) throws(Trouble) in .unlimited }
    }
    if case .call(let callee, let arguments) = number.kind, let name = callee.lastName {
      guard name.text == "max", arguments.count == 1, arguments[0].label == nil else {
        throw .unknown("demand", name.text, at: name.range, among: ["max"])
      }
      number = arguments[0].value
    }
    let count = try integer(number, atLeast: 1, in: scope)
    return { (frame) throws(Trouble) in .max(try count(&frame)) }
  }
}

extension Publishers.FlatMap where Output == Value, Failure == PipelineFailure {
  /// Fails rather than hold more publishers than the host allows.
  func bounded(by context: any PipelineContext, _ stage: String, hint: String = "") -> Stream {
    let ceiling = context.innerPublisherLimit
    let tooMany = PipelineFailure(
      .fault("\(ceiling) publishers are at work and no more may be\(hint)"),
      stage: stage
    )
    return _failing(with: tooMany, above: ceiling)._counting(in: context.holdings.inner)
      .eraseToAnyPublisher()
  }
}

extension AnyPublisher where Output == Value, Failure == PipelineFailure {
  /// Fails at once.
  static func failing(_ failure: PipelineFailure) -> Self {
    Fail(error: failure).eraseToAnyPublisher()
  }
}
