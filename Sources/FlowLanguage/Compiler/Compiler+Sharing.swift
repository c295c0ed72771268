import FlowCore

extension Compiler {
  /// One subscription upstream: of all there are, or inside a closure of those of one value.
  mutating func share(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    let replay = try arguments.labelled("replay").map { (syntax) throws(Diagnostic) in
      try integer(syntax, atLeast: 0, atMost: Self.mostHeld, in: scope)
    }
    let upstream = call.upstream
    let isOne = isOutermost(scope)
    let shared = Shared()
    let counters = StageCounters(count: chain.count)
    if isOne, !isBelow { shares.append(SharedStages(end: chain.count, counters: counters)) }
    return { [number = call.number] (frame, context) throws(Trouble) in
      let sharing: Sharing
      if isOne, let old = shared.sharing {
        sharing = old
      } else {
        let host = isOne ? StandInContext(context, counters: counters) : context
        sharing = Sharing(try upstream(&frame, host), replay: try replay?(&frame))
      }
      if isOne { shared.sharing = sharing }
      return sharing.publisher(number.dropping(in: context))
    }
  }

  private final class Shared {
    var sharing: Sharing?
  }
}

/// A shared publisher that tells what each of its subscribers has missed.
///
/// Used where the clock runs, as all of a running pipeline is.
private final class Sharing {
  private typealias Numbered = (number: Int, value: Value)

  /// Which values a new subscriber may be sent besides those to come.
  private let replay: Int
  private var source: AnyPublisher<Numbered, PipelineFailure> = Empty().eraseToAnyPublisher()
  /// How many values have come from the present subscription.
  private var count = 0
  private var round = 0

  init(_ upstream: Stream, replay: Int?) {
    self.replay = replay ?? 0
    let numbered = Deferred { [weak self] in
      self?.count = 0
      self?.round += 1
      return upstream.map { [weak self] value -> Numbered in
        self?.count += 1
        return (self?.count ?? 0, value)
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
