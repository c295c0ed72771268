import FlowCore

extension Compiler {
  mutating func merge(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    guard let first = call.list.first, first.label == "with" else {
      throw try call.arguments(unlabelled: 0).missing("\"with:\"")
    }
    var others: [Source] = []
    var kinds = call.kinds
    for argument in call.list {
      guard argument.label == nil || argument.range == first.range else {
        throw Diagnostic("merge takes one label, \"with\"", at: argument.range)
      }
      others.append(try publisher(argument.value, in: scope))
      kinds.formUnion(self.kinds)
    }
    self.kinds = kinds
    return call.source {
      [others, number = call.number] (upstream, frame, context) throws(Trouble) in
      let counter = number.counter(in: context)?.countBelow()
      var merged = [upstream]
      for other in others {
        let stream = try other(&frame, context.below)
        merged.append(
          counter.map { Counted(upstream: stream, counter: $0).eraseToAnyPublisher() } ?? stream
        )
      }
      return Publishers.MergeMany(merged)._counting(in: context.holdings).eraseToAnyPublisher()
    }
  }

  /// `zip` and `combineLatest`: up to three other publishers, and maybe a closure.
  mutating func join(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 5)
    let publishers = arguments.unlabelled.filter { !$0.isFunction }
    guard (1...3).contains(publishers.count) else {
      throw arguments.missing("one, two or three publishers")
    }
    var others: [Source] = []
    var kinds = [call.kinds]
    for other in publishers {
      others.append(Self.paced(try publisher(other, in: scope)))
      kinds.append(self.kinds)
    }
    let make = try transform(arguments, of: call, kinds, in: scope)
    let usesOnce = call.entry.name == "zip"
    let stage = call.text
    return call.source {
      [others, number = call.number] (upstream, frame, context) throws(Trouble) in
      var streams = [upstream]
      for other in others { streams.append(try other(&frame, context.below)) }
      guard usesOnce else {
        let held = streams.map { _ in HeldValues(of: "combineLatest", in: context.holdings) }
        let kept = zip(streams, held).map { $0.kept(.newest, by: $1) }
        return make(
          // One that has ended leaves its newest value.
          kept.combineLatest().map { values in
            withExtendedLifetime(held) { Value.array(JSONArray(values)) }
          }
          .eraseToAnyPublisher(),
          frame.captured
        )
      }
      let counter = number.counter(in: context)
      return make(Self.zipped(streams, stage, context.holdings, counter), frame.captured)
    }
  }

  mutating func withLatest(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let other = Self.paced(try publisher(arguments.required("from"), in: scope))
    let make = try transform(arguments, of: call, [call.kinds, kinds], in: scope)
    return call.source { (upstream, frame, context) throws(Trouble) in
      let held = HeldValues(of: "withLatest", in: context.holdings)
      let other = try other(&frame, context.below).kept(.newest, by: held)
      let pairs = upstream.withLatest(from: other).map { pair in
        withExtendedLifetime(held) { Value.array(JSONArray([pair.0, pair.1])) }
      }
      return make(pairs.eraseToAnyPublisher(), frame.captured)
    }
  }

  /// What the closure of a joining stage, if it has one, makes of arrays with a value of each.
  private mutating func transform(
    _ arguments: Arguments,
    of call: Call,
    _ given: [Kinds],
    in scope: Scope
  ) throws(Diagnostic) -> (Stream, Frame.Captured) -> Stream {
    guard let closure = arguments.unlabelled.last, closure.isFunction else {
      kinds = .array(of: given.count)
      return { stream, _ in stream }
    }
    let body = Function(try function(closure, of: given, in: scope), of: call)
    kinds = body.kinds
    return { stream, outer in
      Stage(upstream: stream) {
        { (input, _) throws(PipelineFailure) in
          guard case .array(let values) = input.value else { return .leaveOut }
          return .publish(try body.value(outer, values.elements))
        }
      }.eraseToAnyPublisher()
    }
  }

  /// Arrays of the first values, the second ones …; fails when too many wait for another's.
  private static func zipped(
    _ streams: [Stream],
    _ stage: String,
    _ holdings: Holdings,
    _ counter: StageCounter?
  ) -> Stream {
    Deferred {
      var counts = Array(repeating: 0, count: streams.count)
      let held = HeldValues(of: "zip", in: holdings, counter: counter)
      let counted = streams.enumerated().map { index, stream in
        Stage(upstream: stream) {
          { (input, _) throws(PipelineFailure) in
            counts[index] += 1
            guard counts[index] - (counts.min() ?? 0) <= mostHeld else {
              throw PipelineFailure(.fault("more than \(mostHeld) values wait"), stage: stage)
            }
            try held.enter(input.value)
            return .pass
          }
        }
      }
      return counted.zip().map { values in
        for value in values { held.leave(value) }
        return Value.array(JSONArray(values))
      }
    }
    .eraseToAnyPublisher()
  }

  /// `append` and `prepend`: a publisher, the elements of a literal array or range, or values.
  mutating func extend(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: .max)
    let first = try arguments.first("values or a publisher")
    let more: Source
    if arguments.unlabelled.count == 1, isPublisher(first, in: scope) {
      more = try publisher(first, in: scope)
    } else if arguments.unlabelled.count == 1, first.isSequence {
      more = try sequence(first, in: scope)
    } else {
      more = try constants(arguments.unlabelled, in: scope)
    }
    kinds.formUnion(call.kinds)
    let isAppending = call.entry.name == "append"
    return call.source { (upstream, frame, context) throws(Trouble) in
      let more = try more(&frame, context.below)
      return isAppending
        ? upstream.append(more).eraseToAnyPublisher() : upstream.prepend(more).eraseToAnyPublisher()
    }
  }

  private mutating func constants(_ list: [Syntax], in scope: Scope) throws(Diagnostic) -> Source {
    var evaluations: [Evaluation] = []
    kinds = []
    for syntax in list {
      guard list.count == 1 || !isPublisher(syntax, in: scope) else {
        throw Diagnostic("one publisher is needed here, or values", at: syntax.range)
      }
      let operand = try values.operand(syntax, in: scope)
      kinds.formUnion(operand.kinds)
      evaluations.append(operand.evaluation)
    }
    return { [evaluations] (frame, _) throws(Trouble) in
      var values: [Value] = []
      for evaluation in evaluations { values.append(try evaluation(&frame)) }
      return Publishers.Sequence(sequence: values).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// Whether this is a literal array or a range.
  fileprivate var isSequence: Bool {
    switch kind {
    case .array, .infix("...", _, _), .infix("..<", _, _): true
    default: false
    }
  }
}
