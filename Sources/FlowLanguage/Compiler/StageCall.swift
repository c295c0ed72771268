/// An operator with what stands before it and in its parentheses.
struct StageCall {
  var upstream: PublisherFactory
  /// What that may publish, as far as is known.
  let kinds: Kinds
  let entry: OperatorEntry
  let name: Identifier
  let list: [Argument]
  /// The stage as written.
  let text: String
  /// How many stages stand before it.
  let place: Int
  /// Whether what stands before it may come to read a subject when it has begun already.
  var readsAnew = false
  /// What stands before it takes in memory when it runs and is counted.
  var price = 0
  /// Which stage of the pipeline it is.
  var number = StageNumber()

  /// Whether a value that a closure has no answer for is left out: `tryMap` and its like fail.
  var leavesOut: Bool { !name.text.hasPrefix("try") }

  /// The stage that `body` makes of the publisher before it and of those of `branches`.
  func stage(
    publishes kinds: Kinds,
    below branches: [Compiled] = [],
    _ body: @escaping (Stream, inout Locals, any PipelineContext) throws(EvaluationError) -> Stream
  ) -> CompiledStage {
    let source: PublisherFactory = { [upstream] (locals, context) throws(EvaluationError) in
      try body(upstream(&locals, context), &locals, context)
    }
    return CompiledStage(source: source, kinds: kinds, branches: branches)
  }

  func arguments(
    unlabelled most: Int,
    needing needed: [String] = []
  ) throws(Diagnostic) -> Arguments {
    try Arguments(list, of: entry, at: name.range, unlabelled: most, needing: needed)
  }
}

/// A source, or the ending of a run, with what stands in its parentheses.
struct SourceCall {
  let entry: OperatorEntry
  let name: Identifier
  let list: [Argument]

  func arguments(unlabelled most: Int) throws(Diagnostic) -> Arguments {
    try Arguments(list, of: entry, at: name.range, unlabelled: most)
  }
}

/// What stands behind a dot and is one with what stands before it.
struct Tail {
  let entry: OperatorEntry
  let base: Syntax
  let name: Identifier
  let list: [Argument]
  /// Where the whole stands.
  let range: Range<Int>
}

/// Which stage of the pipeline something is, if it is not below one.
struct StageNumber {
  var index: Int?
  /// Where it stands, if it is recorded.
  var place: (chain: StageChain, index: Int)?

  /// The number of a source.
  static func source(in scope: Scope) -> StageNumber {
    StageNumber(index: scope.isBelow ? nil : 0)
  }

  /// What counts it where the host counts.
  func counter(in context: any PipelineContext) -> StageCounter? {
    index.flatMap { context.counters?[$0] }
  }

  /// Tells the host that values were dropped, and counts them where it counts.
  func dropping(
    in context: any PipelineContext
  ) -> (_ count: Int, _ reason: DropReason) -> Void {
    let counter = counter(in: context)
    let drop = { (count: Int, reason: DropReason) in
      counter?.drop(count)
      context.dropped(count, reason)
    }
    guard let lane = lane(in: context) else { return drop }
    return { count, reason in
      lane.drops(count, reason, nil)
      drop(count, reason)
    }
  }

  /// Tells the host of a value that the stage leaves out, and counts it where it counts.
  func leavingOut(in context: any PipelineContext) -> (LeftOut) -> Void {
    let (counter, lane) = (counter(in: context), lane(in: context))
    return { leftOut in
      counter?.leaveOut()
      lane?.drops(1, .failed, leftOut.value)
      context.leftOut(leftOut)
    }
  }

  /// The context for the publishers below the stage; it counts what their stages leave out.
  func below(_ context: any PipelineContext) -> any PipelineContext {
    guard let counter = counter(in: context) else { return context.below }
    return StandInContext(context, counters: nil) { leftOut in
      counter.leaveOutBelow()
      context.leftOut(leftOut)
    }
  }

  /// What `drop` does with a single value, told where it is recorded.
  func dropping(
    in context: any PipelineContext,
    for reason: DropReason,
    _ drop: @escaping (Value) -> Void
  ) -> (Value) -> Void {
    guard let lane = lane(in: context) else { return drop }
    return { value in
      lane.drops(1, reason, value)
      drop(value)
    }
  }

  private func lane(in context: any PipelineContext) -> (any StageLane)? {
    place.flatMap { context.recorder?.lane(at: $0.chain.path(of: $0.index)) }
  }
}
