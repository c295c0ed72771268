import FlowCore

/// A stage of FlowCore that lets payloads past it as long as it would only hand them on.
///
/// One half stands before the stage and one behind it. What the stage has to hold, and what comes
/// when it holds something already, goes through it as a value.
struct Bypass: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  /// Counts the values inside, where there can be some.
  var held: HeldValues?
  /// Whether the stage would take a value of so many octets.
  let takes: (Int) -> Bool
  let stage: (Stream) -> Stream

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    // A retry subscribes anew: what was inside before is gone.
    held?.clear()
    let entry = BypassEntry(held, takes: takes)
    let exit = BypassExit(AnySubscriber(subscriber), held, entry)
    stage(Entrance(upstream: upstream, entry: entry).eraseToAnyPublisher()).subscribe(exit)
  }

  /// What the stage subscribes to.
  private struct Entrance: Publisher {
    typealias Output = Value
    typealias Failure = PipelineFailure

    let upstream: Stream
    let entry: BypassEntry

    func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == PipelineFailure {
      entry.downstream = AnySubscriber(subscriber)
      upstream.subscribe(entry)
    }
  }
}

/// What comes to the stage.
private final class BypassEntry: Subscriber, Subscription, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let held: HeldValues?
  private let takes: (Int) -> Bool
  fileprivate var downstream: AnySubscriber<Value, PipelineFailure>?
  private var upstream: (any Subscription)?
  /// The stage, and who takes payloads behind it.
  private var way: (stage: any _Passable, receiver: any PayloadReceiver)?

  init(_ held: HeldValues?, takes: @escaping (Int) -> Bool) {
    self.held = held
    self.takes = takes
  }

  /// Lets payloads past `stage` to `receiver`; which of the two is subscribed first depends on it.
  func open(past stage: any _Passable, to receiver: any PayloadReceiver) {
    way = (stage, receiver)
    upstream?.mayHandPayloads(to: self)
  }

  func receive(subscription: any Subscription) {
    upstream = subscription
    if way != nil { subscription.mayHandPayloads(to: self) }
    downstream?.receive(subscription: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard let downstream else { return .none }
    do throws(PipelineFailure) {
      try held?.enter(input)
      return downstream.receive(input)
    } catch {
      upstream?.cancel()
      receive(completion: .failure(error))
      return .none
    }
  }

  func room(for largest: Int) -> Int {
    guard let way, way.stage._isOpen, takes(largest) else { return 0 }
    return way.receiver.room(for: largest)
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard let way else { return .none }
    return way.stage._letPast(payloads.places.count) { way.receiver.receive(payloads) }
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard let way, way.stage._isOpen, takes(payload.count) else {
      return receive(Value(octets: payload))
    }
    return way.stage._letPast(1) { way.receiver.receive(payload) }
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    let downstream = downstream
    close()
    downstream?.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    let upstream = upstream
    close()
    held?.clear()
    upstream?.cancel()
  }

  private func close() {
    downstream = nil
    upstream = nil
    way = nil
  }
}

/// What goes out of the stage.
private final class BypassExit: Subscriber, PayloadSource, _ValueHolder, CustomStringConvertible {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let downstream: AnySubscriber<Value, PipelineFailure>
  private let held: HeldValues?
  private let entry: BypassEntry
  private var stage: (any Subscription)?

  init(
    _ downstream: AnySubscriber<Value, PipelineFailure>,
    _ held: HeldValues?,
    _ entry: BypassEntry
  ) {
    self.downstream = downstream
    self.held = held
    self.entry = entry
  }

  var description: String { stage.map { String(describing: $0) } ?? "" }

  var _heldCount: Int { (stage as? any _ValueHolder)?._heldCount ?? 0 }

  var _publisherCount: Int? { (stage as? any _ValueHolder)?._publisherCount }

  func receive(subscription: any Subscription) {
    stage = subscription
    downstream.receive(subscription: self)
  }

  func handPayloads(to receiver: any PayloadReceiver) {
    guard downstream._hides(receiver), let stage = stage as? any _Passable else { return }
    entry.open(past: stage, to: receiver)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    held?.leave(input)
    return downstream.receive(input)
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    stage = nil
    downstream.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) { stage?.request(demand) }

  func cancel() {
    let stage = stage
    self.stage = nil
    stage?.cancel()
  }
}
