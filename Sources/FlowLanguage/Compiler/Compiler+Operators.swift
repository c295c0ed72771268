import FlowCore

/// An operator with what stands before it and in its parentheses.
struct Call {
  let upstream: Source
  let entry: OperatorEntry
  let name: Name
  let list: [Argument]
  /// The stage as written.
  let text: String
  /// Its number among the stages of the pipeline; nil below one.
  let index: Int?

  func arguments(unlabelled most: Int) throws(Diagnostic) -> Arguments {
    try Arguments(list, of: entry, at: name.range, unlabelled: most)
  }
}

extension Compiler {
  mutating func operation(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    if let source = try step(call, in: scope) { return source }
    return counted(try whole(call, in: scope))
  }

  /// A stage that looks at one value after the other, and counts what it sends.
  private func step(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    switch call.entry.name {
    case "map", "tryMap": try each(call, in: scope) { .publish($1) }
    case "compactMap":
      try each(call, in: scope) {
        if case .null = $1.decoded { .leaveOut } else { .publish($1) }
      }
    case "filter":
      try each(call, makes: .bool, in: scope) { (value, result) throws(Trouble) in
        try Arithmetic.truth(result.decoded, "filter") ? .publish(value) : .leaveOut
      }
    case "scan": try scan(call, in: scope)
    case "first": try first(call, in: scope)
    case "prefix": try prefix(call, in: scope)
    default: nil
    }
  }

  /// A stage of FlowCore.
  private mutating func whole(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    switch call.entry.name {
    case "first": first(call)
    case "prefix": try prefixOfCount(call, in: scope)
    case "reduce": try reduce(call, in: scope)
    case "flatMap": try flatMap(call, in: scope)
    case "dropFirst": try dropFirst(call, in: scope)
    case "merge": try merge(call, in: scope)
    case "share": try share(call, in: scope)
    case "catch": try recover(call, in: scope)
    case "retry": try retry(call, in: scope)
    case "replaceError": try replaceError(call, in: scope)
    case "mapError": try mapError(call, in: scope)
    case "delay": try delay(call, in: scope)
    case "buffer": try buffer(call, in: scope)
    case "print": try log(call, in: scope)
    case "receive":
      try unchanged(call) { (arguments) throws(Diagnostic) in
        try acceptQueue(arguments.required("on"))
      }
    default: try unchanged(call) { (_) throws(Diagnostic) in }
    }
  }

  /// A stage that Combine needs for its types and that has no effect here.
  private func unchanged(
    _ call: Call,
    check: (Arguments) throws(Diagnostic) -> Void
  ) throws(Diagnostic) -> Source {
    try check(call.arguments(unlabelled: 0))
    return call.upstream
  }

  /// A stage that decides by what the closure makes of a value.
  func each(
    _ call: Call,
    label: String? = nil,
    makes kinds: Kinds = .any,
    in scope: Scope,
    verdict: @escaping (Value, Value) throws(Trouble) -> Verdict
  ) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let body = try function(arguments.function(label), arity: 1, makes: kinds, in: scope)
    let stage = call.text
    return { [upstream = call.upstream, index = call.index] (frame, context) throws(Trouble) in
      let outer = frame.captured
      let step: Step = { (value) throws(PipelineFailure) in
        var frame = Frame(outer, value)
        do throws(Trouble) {
          return try verdict(value, body(&frame))
        } catch {
          throw PipelineFailure(error, stage: stage, value: value)
        }
      }
      let counter = index.flatMap { context.counters?[$0] }
      return Stage(upstream: try upstream(&frame, context), counter: counter) { step }
        .eraseToAnyPublisher()
    }
  }
}
