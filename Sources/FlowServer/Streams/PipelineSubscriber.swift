internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// The end of a pipeline: what arrives goes out on the stream.
@safe  // memory 3
final class PipelineSubscriber: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  // The stream cancels this before it is freed, and is freed at the end of the turn.
  private let stream: Unmanaged<ClientSubscription>
  private var state = State.open

  private enum State {
    case open
    /// The stream has got the end, or has cancelled.
    case closed
    /// Open, and others look on.
    case tapped(Tap)
  }

  private var subscription: _HeldSubscription?

  init(_ stream: ClientSubscription) { unsafe self.stream = .passUnretained(stream) }

  @inline(__always)
  private func with<R>(_ body: (ClientSubscription) -> R) -> R {
    unsafe stream._withUnsafeGuaranteedRef(body)
  }

  /// Has others look on, or nobody any more.
  func tap(_ tap: Tap?) {
    if isOpen { state = tap.map(State.tapped) ?? .open }
  }

  private var isOpen: Bool { if case .closed = state { false } else { true } }

  func receive(subscription: any Subscription) {
    guard isOpen, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription._held
    subscription.mayHandPayloads(to: self)
    // As a sink does: what was asked for with SUB is there before the first value can be.
    if isOpen { with { $0.requestMore() } }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard case .open = state else { return receiveApart(input) }
    return with { $0.receive(input) }
  }

  func room(for largest: Int) -> Int {
    guard case .open = state else { return isOpen ? with { $0.room(for: largest) } : 0 }
    return with { $0.room(for: largest) }
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard case .open = state else { return receiveApart(payloads) }
    return with { $0.receive(payloads) }
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard case .open = state else { return unsafe receiveApart(payload) }
    return with { unsafe $0.receive(payload) }
  }

  /// It is the end of one pipeline.
  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    state = .closed
    subscription = nil
    with { $0.finish(completion) }
  }

  func request(_ count: Int) { subscription?.request(.max(count)) }

  func cancel() {
    state = .closed
    let old = subscription
    subscription = nil
    old?.cancel()
  }

  // MARK: While others look on

  private func receiveApart(_ input: Value) -> Subscribers.Demand {
    guard case .tapped(let tap) = state else { return .none }
    unsafe input.withBytes { unsafe pass($0, to: tap) }
    return isOpen ? with { $0.receive(input) } : .none
  }

  private func receiveApart(_ payloads: Payloads) -> Subscribers.Demand {
    guard case .tapped(let tap) = state else { return .none }
    with { tap.pass($0.client.engine.batch, payloads.places) }
    return isOpen ? with { $0.receive(payloads) } : .none
  }

  private func receiveApart(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard case .tapped(let tap) = state else { return .none }
    unsafe pass(payload, to: tap)
    return isOpen ? with { unsafe $0.receive(payload) } : .none
  }

  /// Passes on what the stream is going to take.
  private func pass(_ bytes: UnsafeRawBufferPointer, to tap: Tap) {
    let limit = with { $0.client.engine.configuration.valueLimit }
    if bytes.count <= limit { unsafe tap.pass(bytes) }
  }
}
