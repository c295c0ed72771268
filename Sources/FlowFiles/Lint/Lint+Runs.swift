internal import FlowLanguage

// What keeps a run from going on, or from stopping.

extension Lint {
  /// Warns of the first stage that ends the run: when it fails, or when nothing comes in time.
  mutating func checkCalls(of definition: Definition) {
    guard case .run(let standing) = definition.content else { return }
    let stages = standing.pipeline.stages
    if standing.restart == nil, let call = stages.uncaughtCall {
      warn(of: call, "fails", in: definition)
    } else if let timeout = stages.finishingTimeout {
      // A restart is for runs that have failed.
      warn(of: timeout, "finds nothing in time", in: definition)
    }
  }

  private mutating func warn(
    of stage: StageDescription,
    _ event: String,
    in definition: Definition
  ) {
    let text = stage.text.split { $0.isWhitespace }.joined(separator: " ")
    let message = "the first time that \(text) \(event) is the end of \(definition.name)"
    if stage.pipeline == nil {
      warn(.unansweredCall, message, stage, of: definition)
    } else {
      warn(.unansweredCall, message, of: definition)
    }
  }
}

extension [StageDescription] {
  /// A timeout without an error, behind which nothing goes on.
  fileprivate var finishingTimeout: StageDescription? {
    guard let place = lastIndex(where: { $0.name == "timeout" && !$0.hasError }),
      !self[place...].contains(where: { $0.name == "append" })
    else { return nil }
    return self[place]
  }

  /// The first stage that may fail, and whose failure gets out of these stages.
  fileprivate var uncaughtCall: StageDescription? {
    var call: StageDescription?
    for stage in self {
      // `retry` fails with the last attempt.
      if stage.traits.contains(.recovers), stage.name != "retry" { call = nil }
      if call == nil, stage.mayFail { call = stage }
      // What the other publisher ends with is nothing to `prefix(untilOutputFrom:)`.
      guard call == nil, stage.name != "prefix" else { continue }
      for branch in stage.branches where call == nil { call = branch.uncaughtCall }
    }
    return call
  }

  /// Whether no more is asked of the source than a stage has places for, however much is asked of
  /// the last one.
  var boundsDemand: Bool {
    for stage in dropFirst() {
      if stage.demand.request.isUnlimited { return false }
      if stage.isBound { return true }
    }
    return false
  }
}

extension StageDescription {
  /// Whether a call, a value or the time may fail it.
  fileprivate var mayFail: Bool {
    switch name {
    case "ask": true
    case "timeout": hasError
    default: text.hasPrefix("try") && name != nil && name != "catch"
    }
  }

  /// Whether it is a timeout with an error.
  fileprivate var hasError: Bool { arguments["customError"] != nil }

  /// Whether it opens so many publishers and no more, or hands its values to stages that do.
  fileprivate var isBound: Bool {
    if traits.contains(.flattens) { return demand.holds.limit != nil }
    // `group` and `window` wait for the publishers that they pass to their closures.
    return traits.contains(.opensMany) && branches.contains(where: \.boundsDemand)
  }
}
