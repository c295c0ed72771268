import FlowCore

extension OperatorTable {
  static let sharing: [OperatorEntry] = [
    stage(
      "share() or share(replay: count)",
      "Subscribes once for all subscribers; with replay, late ones first get the last values.",
      demands: [
        StageDemand(
          with: "replay",
          asks: .unlimited("unlimited; a subscriber misses values replaced by {replay} newer ones"),
          holds: .values("{replay}"),
          full: "discards the oldest",
          ends: "with its upstream, for all subscribers"
        ),
        StageDemand(
          asks: .unlimited("unlimited; a subscriber without demand misses the value"),
          ends: "with its upstream, for all subscribers"
        ),
      ],
      "orders.share(replay: 1)",
      MarbleExample(
        "taps.share(replay: 2)",
        ["taps": "1234-|"],
        asking: "1---u",
        gives: "1---[34]|"
      ),
      traits: [.passesAll, .shares],
      price: 96,
      compile: Compiler.share
    )
  ]
}

extension Compiler {
  /// One subscription upstream: of all there are, or inside a closure of those of one value.
  func share(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    let replay = try arguments.labelled("replay").map { (syntax) throws(Diagnostic) in
      try integer(syntax, atLeast: 0, atMost: Self.mostHeld, in: scope)
    }
    let (upstream, price) = (call.upstream, call.price)
    let isOne = scope.isOutermost
    let shared = Shared()
    let counters = StageCounters(count: call.place)
    let source: PublisherFactory = {
      [number = call.number] (locals, context) throws(EvaluationError) in
      let sharing: SharedPublisher
      if isOne, let old = shared.sharing {
        sharing = old
      } else {
        var standIn: StandInContext?
        if isOne {
          shared.memoryBudget = context.memoryBudget.another()
          standIn = StandInContext(
            context,
            counters: counters,
            memoryBudget: shared.memoryBudget
          )
        }
        let host: any PipelineContext = standIn ?? context
        let new = SharedPublisher(
          try upstream(&locals, host),
          replay: try replay?(&locals),
          memoryBudget: host.memoryBudget,
          price: isOne ? price : 0
        )
        // What is left out before it is missed by all.
        standIn?.leave = { [weak new] in new?.leaveOut($0) }
        sharing = new
      }
      if isOne { shared.sharing = sharing }
      return sharing.publisher(number.dropping(in: context)) { context.leftOut($0) }
    }
    guard isOne else { return CompiledStage(source: source, kinds: call.kinds) }
    return CompiledStage(
      source: source,
      kinds: call.kinds,
      mentions: Mentions(sharing: shared),
      shares: SharedStages(end: call.place, counters: counters)
    )
  }
}

/// A `share` that is one for all subscriptions of its pipeline.
final class Shared {
  fileprivate var sharing: SharedPublisher?
  /// What its stages hold, which is nobody's alone.
  fileprivate(set) var memoryBudget = MemoryBudget()

  /// Begins anew with the next subscription; what the present ones hold goes with them.
  func forget() { sharing = nil }
}

extension Pipeline {
  /// The bytes that its `share`s hold for all of its subscriptions.
  public var sharedBytes: Int { sharings.reduce(0) { $0 + $1.memoryBudget.bytes } }

  /// Lets its `share`s begin anew with the next subscription.
  public func forgetShared() { for shared in sharings { shared.forget() } }
}
