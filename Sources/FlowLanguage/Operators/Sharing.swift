import FlowCore

extension OperatorTable {
  static let sharing: [OperatorEntry] = [
    stage(
      "share() or share(replay: count)",
      "Subscribes once for all subscribers; with replay, late ones first get the last values.",
      demands: [
        StageDemand(
          with: "replay",
          asks: "unlimited; a subscriber misses values replaced by {replay} newer ones",
          holds: .values("{replay}"),
          full: "discards the oldest",
          ends: "with its upstream, for all subscribers"
        ),
        StageDemand(
          asks: "unlimited; a subscriber without demand misses the value",
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
    let upstream = call.upstream
    let isOne = scope.isOutermost
    let shared = Shared()
    let counters = StageCounters(count: call.place)
    let source: PublisherFactory = {
      [number = call.number] (locals, context) throws(EvaluationError) in
      let sharing: Sharing
      if isOne, let old = shared.sharing {
        sharing = old
      } else {
        let host: any PipelineContext
        if isOne {
          shared.memoryBudget = context.memoryBudget.another()
          host = StandInContext(context, counters: counters, memoryBudget: shared.memoryBudget)
        } else {
          host = context
        }
        sharing = Sharing(
          try upstream(&locals, host),
          replay: try replay?(&locals),
          memoryBudget: host.memoryBudget
        )
      }
      if isOne { shared.sharing = sharing }
      return sharing.publisher(number.dropping(in: context))
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
  fileprivate var sharing: Sharing?
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

/// A shared publisher that tells what each of its subscribers has missed.
///
/// Used where the clock runs, as all of a running pipeline is.
fileprivate final class Sharing {
  private struct Numbered: Disposable {
    let number: Int
    let value: Value

    static func dispose(_ values: Any) { Disposal.take(values) }
  }

  /// Which values a new subscriber may be sent besides those to come.
  private let replay: Int
  private var source: AnyPublisher<Numbered, PipelineFailure> = Empty().eraseToAnyPublisher()
  /// How many values have come from the present subscription.
  private var count = 0
  private var round = 0
  /// What is kept for those who come later, until they can have it no more.
  private var kept: KeptSizes?

  init(_ upstream: Stream, replay: Int?, memoryBudget: MemoryBudget) {
    let most = replay ?? 0
    self.replay = most
    let numbered = Deferred { [weak self] in
      self?.count = 0
      self?.round += 1
      let kept = most > 0 ? KeptSizes(most: most, HeldValues(of: "share", in: memoryBudget)) : nil
      self?.kept = kept
      return (kept?.counting(upstream) ?? upstream)
        .handleEvents(receiveCancel: { [weak self] in self?.kept = nil })
        .map { [weak self] value -> Numbered in
          self?.count += 1
          return Numbered(number: self?.count ?? 0, value: value)
        }
    }
    source =
      replay.map { numbered.share(replay: $0).eraseToAnyPublisher() }
      ?? numbered.share().eraseToAnyPublisher()
  }

  func publisher(_ dropped: @escaping (Int, DropReason) -> Void) -> Stream {
    Deferred { [self] in
      let reason = replay > 0 ? DropReason.bufferOldest : .noDemand
      var seen = max(0, count - replay)
      var round = round
      let notice = { [self] (number: Int) in
        if round != self.round {
          round = self.round
          seen = 0
        }
        if number > seen + 1 { dropped(number - seen - 1, reason) }
        seen = number
      }
      return source.handleEvents(
        receiveCompletion: { [self] _ in notice(count + 1) },
        receiveCancel: { [self] in notice(count + 1 - replay) }
      )
      .map { numbered in
        notice(numbered.number)
        return numbered.value
      }
    }
    .eraseToAnyPublisher()
  }
}

/// What the last values of a `share(replay:)` take.
private final class KeptSizes {
  private let most: Int
  private let held: HeldValues
  private var sizes: [Int] = []
  /// Where the oldest stands, once there are as many as may be.
  private var oldest = 0

  init(most: Int, _ held: HeldValues) {
    self.most = most
    self.held = held
  }

  /// The same; each value takes the place of the oldest.
  func counting(_ upstream: Stream) -> Stream {
    Stage(upstream: upstream) {
      { [self] (input, _) throws(PipelineFailure) in
        try keep(input.value.footprint)
        return .pass
      }
    }
    .eraseToAnyPublisher()
  }

  private func keep(_ size: Int) throws(PipelineFailure) {
    guard sizes.count == most else {
      try held.hold(size)
      return sizes.append(size)
    }
    held.release(sizes[oldest])
    try held.hold(size)
    sizes[oldest] = size
    oldest = oldest + 1 == most ? 0 : oldest + 1
  }
}
