import FlowCore

/// Counts the values inside a stage that holds some, on their way in and out.
///
/// One stands around each subscription of the stage; what is inside when it ends is given back.
final class HeldValues {
  private let holdings: Holdings
  private let stage: String
  private var octets = 0

  /// Makes `upstream` into what `hold` makes of it, with the values inside counted.
  static func around(
    _ upstream: Stream,
    stage: String,
    in context: any PipelineContext,
    _ hold: (Stream, HeldValues) -> Stream
  ) -> Stream {
    let held = HeldValues(context.holdings, stage: stage)
    let entering = Entering(upstream: upstream, held: held).eraseToAnyPublisher()
    return Leaving(upstream: hold(entering, held), held: held).eraseToAnyPublisher()
  }

  private init(_ holdings: Holdings, stage: String) {
    self.holdings = holdings
    self.stage = stage
  }

  deinit { clear() }

  /// A value comes in; throws if there is no place for it.
  func enter(_ value: Value) throws(PipelineFailure) {
    let size = Self.size(value)
    try holdings.hold(size, in: stage)
    octets += size
  }

  /// A value has gone out, or has been dropped.
  func leave(_ value: Value) {
    let size = min(octets, Self.size(value))
    holdings.release(size)
    octets -= size
  }

  /// Nothing is inside any more.
  func clear() {
    holdings.release(octets)
    octets = 0
  }

  /// About what a value takes in memory.
  private static func size(_ value: Value) -> Int {
    switch value {
    case .null, .bool, .int, .double: 32
    default: 64 + value.withOctets(\.count)
    }
  }
}

/// What comes into a stage.
private struct Entering: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let held: HeldValues

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    // A retry subscribes anew: what was inside before is gone.
    held.clear()
    upstream.subscribe(Inner(subscriber, held))
  }

  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private var downstream: Downstream?
    private let held: HeldValues
    private var upstream: (any Subscription)?

    init(_ downstream: Downstream, _ held: HeldValues) {
      self.downstream = downstream
      self.held = held
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      guard let downstream else { return .none }
      do throws(PipelineFailure) {
        try held.enter(input)
        return downstream.receive(input)
      } catch {
        upstream?.cancel()
        receive(completion: .failure(error))
        return .none
      }
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      let downstream = downstream
      self.downstream = nil
      upstream = nil
      downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

    func cancel() {
      let upstream = upstream
      self.upstream = nil
      downstream = nil
      held.clear()
      upstream?.cancel()
    }
  }
}

/// What goes out of a stage, whose subscription is passed on as it is.
private struct Leaving: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let held: HeldValues

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: subscriber, held: held))
  }

  private struct Inner<Downstream: Subscriber>: Subscriber
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    let combineIdentifier = CombineIdentifier()
    let downstream: Downstream
    let held: HeldValues

    func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      held.leave(input)
      return downstream.receive(input)
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      downstream.receive(completion: completion)
    }
  }
}
