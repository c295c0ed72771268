import FlowCore

extension Compiler {
  /// Compiles `first(where:)`, if it is that.
  mutating func first(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    guard !call.list.isEmpty else { return nil }
    return try each(call, label: "where", makes: .bool, in: scope) {
      (result) throws(Trouble) in
      try Arithmetic.truth(result.decoded, "first") ? .last : .leaveOut
    }
  }

  func first(_ call: Call) -> Source {
    call.source { (upstream, _, context) throws(Trouble) in
      let held = HeldValues(of: "first", in: context.holdings)
      return upstream.kept(.one, by: held).first().map { held.letGo(of: $0) }
        .eraseToAnyPublisher()
    }
  }

  mutating func last(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    var chosen = call.upstream
    if !call.list.isEmpty {
      var test = call
      test.number = StageNumber()
      chosen = try each(test, label: "where", makes: .bool, in: scope) {
        (result) throws(Trouble) in
        try Arithmetic.truth(result.decoded, "last") ? .pass : .leaveOut
      }
    }
    return { [chosen, number = call.number] (frame, context) throws(Trouble) in
      let counter = number.counter(in: context)
      let held = HeldValues(of: "last", in: context.holdings, counter: counter)
      return try chosen(&frame, context)
        .kept(.newest, by: held, pacedBy: context.work).last()
        .map { held.letGo(of: $0) }.eraseToAnyPublisher()
    }
  }

  /// Compiles `prefix(while:)`, if it is that.
  mutating func prefix(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    let arguments = try call.arguments(unlabelled: 1)
    guard arguments.labelled("while") != nil || arguments.unlabelled.first?.isFunction ?? false
    else { return nil }
    return try each(call, label: "while", makes: .bool, in: scope) {
      (result) throws(Trouble) in
      try Arithmetic.truth(result.decoded, "prefix") ? .pass : .finish
    }
  }

  /// `prefix(3)` and `prefix(untilOutputFrom: publisher)`.
  mutating func prefixUpTo(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    if let stop = try publisher(arguments.labelled("untilOutputFrom"), in: scope) {
      kinds = call.kinds
      return call.source { (upstream, frame, context) throws(Trouble) in
        upstream.prefix(untilOutputFrom: try stop(&frame, context.below)).eraseToAnyPublisher()
      }
    }
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      upstream.prefix(try count(&frame)).eraseToAnyPublisher()
    }
  }

  func dropFirst(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let one = Syntax(kind: .literal(.int(1)), range: call.name.range, height: 1)
    let count = try integer(arguments.unlabelled.first ?? one, atLeast: 0, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      upstream.dropFirst(try count(&frame)).eraseToAnyPublisher()
    }
  }

  mutating func drop(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    if let start = try publisher(arguments.labelled("untilOutputFrom"), in: scope) {
      kinds = call.kinds
      return call.source { (upstream, frame, context) throws(Trouble) in
        upstream.drop(untilOutputFrom: try start(&frame, context.below)).eraseToAnyPublisher()
      }
    }
    if let count = arguments.unlabelled.first, case .literal(.int) = count.kind {
      throw Diagnostic(
        "drop takes a closure",
        at: count.range,
        suggestion: "dropFirst(\(text(count.range)))"
      )
    }
    let test = try predicate(arguments.function("while"), of: call, in: scope)
    return call.source { (upstream, frame, context) throws(Trouble) in
      let outer = frame.captured
      return Stage(upstream: upstream, work: context.work) {
        var isDropping = true
        return { (input, _) throws(PipelineFailure) in
          if isDropping { isDropping = try test.truth(outer, [input.value]) }
          return isDropping ? .leaveOut : .pass
        }
      }.eraseToAnyPublisher()
    }
  }

  func removeDuplicates(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let isLike = try comparison(call, in: scope) { (a, b) throws(Trouble) in a == b }
    return call.source { (upstream, frame, context) throws(Trouble) in
      let (outer, holdings) = (frame.captured, context.holdings)
      return Stage(upstream: upstream, work: context.work) {
        var last: Value?
        let held = HeldValues(of: "removeDuplicates", in: holdings)
        return { (input, _) throws(PipelineFailure) in
          let value = input.value
          if let last, try isLike(outer, last, value) { return .leaveOut }
          try held.replace(with: value)
          last = value
          return .publish(value)
        }
      }.eraseToAnyPublisher()
    }
  }

  /// `output(at: 2)` and `output(in: 1...3)`.
  func output(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    if let index = arguments.labelled("at") {
      let index = try integer(index, atLeast: 0, in: scope)
      return call.source { (upstream, frame, _) throws(Trouble) in
        upstream.output(at: try index(&frame)).eraseToAnyPublisher()
      }
    }
    guard let range = arguments.labelled("in") else {
      throw arguments.missing("\"at:\" or \"in:\"")
    }
    guard case .infix(let sign, let low, let high) = range.kind, sign == "..." || sign == "..<"
    else { throw Diagnostic("a range is needed here, as in 1...3", at: range.range) }
    let first = try integer(low, atLeast: 0, in: scope)
    let last = try integer(high, atLeast: 0, in: scope)
    let bounds = { (frame: inout Frame) throws(Trouble) -> Range<Int> in
      let (start, end) = (try first(&frame), try last(&frame))
      let past = sign == "..." && end < .max ? end + 1 : end
      guard start <= past else { throw .fault("a range can not go down") }
      return start..<past
    }
    try check(bounds, of: [low, high], at: range.range, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      upstream.output(in: try bounds(&frame)).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// Whether this is a closure or key path.
  var isFunction: Bool {
    switch kind {
    case .closure, .keyPath: true
    default: false
    }
  }
}
