import FlowCore

extension Compiler {
  mutating func flatMap(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let most = try demand(arguments.labelled("maxPublishers"), in: scope)
    let bound = InnerBound(stage: call.text, hint: "; maxPublishers: bounds them")
    return try flattened(call, arguments.function(), most, bound, in: scope)
  }

  mutating func concatMap(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let closure = try call.arguments(unlabelled: 1).function()
    return try flattened(call, closure, { (_) throws(Trouble) in .max(1) }, nil, in: scope)
  }

  /// The publishers that `closure` makes, `most` at a time; it counts what it sends itself.
  private mutating func flattened(
    _ call: Call,
    _ closure: Syntax,
    _ most: @escaping (inout Frame) throws(Trouble) -> Subscribers.Demand,
    _ bound: InnerBound?,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    let make = try publishers(closure, of: call, in: scope)
    let cost = costOfChild
    guard closure.isJustOfItsValue else {
      return counted(
        call.source { (upstream, frame, context) throws(Trouble) in
          let (outer, below, most) = (frame.captured, context.below, try most(&frame))
          return upstream.flatMap(maxPublishers: most) { make(outer, below, $0) }
            .bounded(by: context, bound, cost: cost).eraseToAnyPublisher()
        }
      )
    }
    // It publishes just what comes, so payloads go past it.
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let (outer, most) = (frame.captured, try most(&frame))
      let (counter, inside) = (number.counter(in: context), context.holdings)
      return Bypass(upstream: upstream, inside: .publishers(inside), counter: counter) {
        (entrance, exit) in
        entrance.flatMap(maxPublishers: most) { make(outer, context, $0) }
          .bounded(by: context, bound, cost: cost).receive(subscriber: exit)
      }
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
    let (stage, name) = (call.text, call.entry.name)
    let make = { (outer: Frame.Captured, below: any PipelineContext, value: Value) -> Stream in
      var frame = Frame(outer, value)
      let stream: Stream
      do throws(Trouble) {
        defer { outer.charge(frame) }
        stream = try body(&frame, below)
      } catch {
        return .failing(PipelineFailure(error, stage: stage, value: value))
      }
      // The publisher may keep the value; a small one is in the cost of the publisher.
      guard value.footprint > Self.smallValue, !stream._hasOneAtMost else { return stream }
      let held = HeldValues(of: name, in: below.holdings)
      do throws(PipelineFailure) {
        try held.enter(value)
        return stream.keeping(held)
      } catch {
        return .failing(error)
      }
    }
    return { outer, below, value in
      if let failure = below.holdings.refusalOfInner { return .failing(failure) }
      guard below.work.hasToWait else { return make(outer, below, value) }
      let later = Deferred { make(outer, below, value) }
      return PacedSubscribing(upstream: later, wait: below.work.wait).eraseToAnyPublisher()
    }
  }

  /// A value that is no larger is counted with the publisher that is made of it.
  private static let smallValue = 256

  /// About what a publisher that the closure at hand makes takes in memory.
  var costOfChild: Int { 512 + 192 * (branches.last?.count ?? 0) }

  /// `.max(n)`, `.unlimited`, or a bare number from 1 on.
  private func demand(
    _ syntax: Syntax?,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Frame) throws(Trouble) -> Subscribers.Demand {
    guard var number = syntax else { return { (_) throws(Trouble) in .unlimited } }
    if let name = number.lastName {
      guard name.text == "unlimited" else {
        throw unknownDemand(".\(name.text)", at: name.range)
      }
      return { (_) throws(Trouble) in .unlimited }
    }
    if case .call(let callee, let arguments) = number.kind, let name = callee.lastName {
      guard name.text == "max", arguments.count == 1, arguments[0].label == nil else {
        throw unknownDemand(".\(name.text)", at: name.range)
      }
      number = arguments[0].value
    }
    let count = try integer(number, atLeast: 1, in: scope)
    return { (frame) throws(Trouble) in .max(try count(&frame)) }
  }

  private func unknownDemand(_ text: String, at range: Range<Int>) -> Diagnostic {
    let names = [".unlimited", ".max(1)"]
    let instead = "there are .unlimited and .max(1)"
    return .unknown("demand", text, at: range, among: names, instead: instead)
  }
}

/// How a stage fails rather than hold more publishers than the host allows: one text for all its
/// subscriptions.
final class InnerBound {
  private let stage: String
  private let hint: String
  private var last: (ceiling: Int, failure: PipelineFailure)?

  init(stage: String, hint: String = "") {
    self.stage = stage
    self.hint = hint
  }

  func failure(above ceiling: Int) -> PipelineFailure {
    if let last, last.ceiling == ceiling { return last.failure }
    let failure = PipelineFailure(
      .fault("\(ceiling) publishers are at work and no more may be\(hint)"),
      stage: stage
    )
    last = (ceiling, failure)
    return failure
  }
}

extension Publishers.FlatMap where Output == Value, Failure == PipelineFailure {
  /// Counts its publishers, each of which takes `cost`, and fails rather than hold more than the
  /// host allows, if there is a `bound`.
  func bounded(by context: any PipelineContext, _ bound: InnerBound?, cost: Int) -> Self {
    let counted = _counting(in: context.holdings, cost: cost)
    guard let bound else { return counted }
    let ceiling = context.innerPublisherLimit
    return counted._failing(with: bound.failure(above: ceiling), above: ceiling)
  }
}

extension AnyPublisher where Output == Value, Failure == PipelineFailure {
  /// Fails at once.
  static func failing(_ failure: PipelineFailure) -> Self {
    Fail(error: failure).eraseToAnyPublisher()
  }
}
