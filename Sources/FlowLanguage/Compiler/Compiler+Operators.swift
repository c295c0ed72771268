import FlowCore

/// An operator with what stands before it and in its parentheses.
struct Call {
  let upstream: Source
  let entry: OperatorEntry
  let name: Name
  let list: [Argument]
  /// The stage as written.
  let text: String

  func arguments(unlabelled most: Int) throws(Diagnostic) -> Arguments {
    try Arguments(list, of: entry, at: name.range, unlabelled: most)
  }
}

extension Compiler {
  mutating func operation(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    switch call.entry.name {
    case "map", "tryMap": try each(call, in: scope) { .publish($1) }
    case "compactMap":
      try each(call, in: scope) {
        if case .null = $1.decoded { .leaveOut } else { .publish($1) }
      }
    case "filter":
      try each(call, in: scope) { (value, result) throws(Trouble) in
        try Arithmetic.truth(result.decoded, "filter") ? .publish(value) : .leaveOut
      }
    case "scan": try scan(call, in: scope)
    default:
      throw .unknown("operator", call.name.text, at: call.name.range, among: [])
    }
  }

  /// A stage that decides by what the closure makes of a value.
  func each(
    _ call: Call,
    label: String? = nil,
    in scope: Scope,
    verdict: @escaping (Value, Value) throws(Trouble) -> Verdict
  ) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let body = try function(arguments.function(label), arity: 1, in: scope)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame
      let step: Step = { (value) throws(PipelineFailure) in
        var frame = Frame(outer, value)
        do throws(Trouble) {
          return try verdict(value, body(&frame))
        } catch {
          throw PipelineFailure(error, stage: stage, value: value)
        }
      }
      return Stage(upstream: try upstream(&frame, context)) { step }.eraseToAnyPublisher()
    }
  }

  /// The closure of `scan` and `reduce` and the value they begin with.
  func folding(
    _ call: Call,
    in scope: Scope
  ) throws(Diagnostic) -> (initial: Evaluation, next: Evaluation) {
    let arguments = try call.arguments(unlabelled: 2)
    guard arguments.unlabelled.count == 2 else {
      throw arguments.missing("a value to begin with and a closure")
    }
    return (
      try values.compile(arguments.first("a value"), in: scope),
      try function(arguments.function(), arity: 2, in: scope)
    )
  }

  private func scan(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let (initial, next) = try folding(call, in: scope)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame
      let first = try initial(&frame)
      return Stage(upstream: try upstream(&frame, context)) {
        var result = first
        return { (value) throws(PipelineFailure) in
          var frame = Frame(outer, result)
          frame.append(value)
          do throws(Trouble) {
            result = try next(&frame)
          } catch {
            throw PipelineFailure(error, stage: stage, value: value)
          }
          return .publish(result)
        }
      }.eraseToAnyPublisher()
    }
  }
}
