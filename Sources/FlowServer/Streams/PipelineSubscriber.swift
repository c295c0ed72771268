internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// The last subscriber of a pipeline, which passes values to a client's stream.
@safe  // memory 3
final class PipelineSubscriber: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  // The stream cancels this before it is freed, at the end of the turn.
  private let stream: Unmanaged<ClientSubscription>
  private var isOpen = true
  /// Whether it is open and untapped.
  private var isPlain = true
  private var subscription: _HeldSubscription?

  init(_ stream: ClientSubscription) { unsafe self.stream = .passUnretained(stream) }

  @inline(__always)
  private func with<R>(_ body: (ClientSubscription) -> R) -> R {
    unsafe stream._withUnsafeGuaranteedRef(body)
  }

  func isTapped(_ isTapped: Bool) { isPlain = isOpen && !isTapped }

  func receive(subscription: any Subscription) {
    guard isOpen, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription._held
    subscription.mayHandPayloads(to: self)
    // As with `sink`, the demand of SUB exists before the first value.
    if isOpen { with { $0.requestMore() } }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    isPlain ? with { $0.receive(input) } : receiveApart(input)
  }

  func room(for largest: Int) -> Int {
    isOpen ? with { $0.room(for: largest) } : 0
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    isPlain ? with { $0.receive(payloads) } : receiveApart(payloads)
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe isPlain ? with { unsafe $0.receive(payload) } : receiveApart(payload)
  }

  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    isOpen = false
    isPlain = false
    subscription = nil
    with { $0.finish(completion) }
  }

  func request(_ count: Int) { subscription?.request(.max(count)) }

  func cancel() {
    isOpen = false
    isPlain = false
    let old = subscription
    subscription = nil
    old?.cancel()
  }

  /// The tap of its pipeline, while open.
  private var tap: Tap? {
    isOpen ? with { $0.running?.pipeline.companion as? Tap } : nil
  }

  private func receiveApart(_ input: Value) -> Subscribers.Demand {
    if let tap { unsafe input.withBytes { unsafe pass($0, to: tap) } }
    return isOpen ? with { $0.receive(input) } : .none
  }

  private func receiveApart(_ payloads: Payloads) -> Subscribers.Demand {
    if let tap { with { tap.pass($0.client.engine.batch, payloads.places) } }
    return isOpen ? with { $0.receive(payloads) } : .none
  }

  private func receiveApart(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    if let tap { unsafe pass(payload, to: tap) }
    return isOpen ? with { unsafe $0.receive(payload) } : .none
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, to tap: Tap) {
    let limit = with { $0.client.engine.configuration.valueLimit }
    if bytes.count <= limit { unsafe tap.pass(bytes) }
  }
}
