import FlowCore

extension Compiler {
  mutating func flatMap(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let most = try demand(arguments.labelled("maxPublishers"), in: scope)
    let body = try publisherFunction(arguments.function(), in: scope)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame.captured
      let below = context.below
      let most = try most(&frame)
      let ceiling = context.innerPublisherLimit
      let tooMany = PipelineFailure(
        .fault("\(ceiling) publishers are at work and no more may be; maxPublishers: bounds them"),
        stage: stage
      )
      return try upstream(&frame, context).flatMap(maxPublishers: most) { value -> Stream in
        var frame = Frame(outer, value)
        do throws(Trouble) {
          return try body(&frame, below)
        } catch {
          return .failing(PipelineFailure(error, stage: stage, value: value))
        }
      }._failing(with: tooMany, above: ceiling).eraseToAnyPublisher()
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

  mutating func merge(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    guard let first = call.list.first, first.label == "with" else {
      throw try call.arguments(unlabelled: 0).missing("\"with:\"")
    }
    var others: [Source] = []
    for argument in call.list {
      guard argument.label == nil || argument.range == first.range else {
        throw Diagnostic("merge takes one label, \"with\"", at: argument.range)
      }
      others.append(
        try branch { (compiler) throws(Diagnostic) in
          try compiler.guarded(argument.value, in: scope)
        }
      )
    }
    return {
      [upstream = call.upstream, others, index = call.index] (frame, context) throws(Trouble) in
      let counter = index.flatMap { context.counters?[$0].countBelow() }
      var merged = [try upstream(&frame, context)]
      for other in others {
        let stream = try other(&frame, context.below)
        merged.append(
          counter.map { Counted(upstream: stream, counter: $0).eraseToAnyPublisher() } ?? stream
        )
      }
      return Publishers.MergeMany(merged).eraseToAnyPublisher()
    }
  }

  /// One subscription upstream: of all there are, or inside a closure of those of one value.
  mutating func share(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    _ = try call.arguments(unlabelled: 0)
    let upstream = call.upstream
    guard scope.names.isEmpty else {
      return { (frame, context) throws(Trouble) in
        try upstream(&frame, context).share().eraseToAnyPublisher()
      }
    }
    let shared = Shared()
    let counters = StageCounters(count: chain.count)
    if !isBelow { shares.append(SharedStages(end: chain.count, counters: counters)) }
    return { [index = call.index] (frame, context) throws(Trouble) in
      let stream: Stream
      if let made = shared.stream {
        stream = made
      } else {
        let once = StandInContext(context, counters: counters)
        stream = try upstream(&frame, once).share().eraseToAnyPublisher()
        shared.stream = stream
      }
      // What stands below a stage is not counted.
      guard let index else { return stream }
      let counter = context.counters?[index]
      return Noticing(upstream: stream, source: counters[index - 1]) { missed in
        counter?.dropped += missed
        context.dropped(missed, .noDemand)
      }
      .eraseToAnyPublisher()
    }
  }

  private final class Shared {
    var stream: Stream?
  }
}

extension AnyPublisher where Output == Value, Failure == PipelineFailure {
  /// Fails at once.
  static func failing(_ failure: PipelineFailure) -> Self {
    Fail(error: failure).eraseToAnyPublisher()
  }
}
