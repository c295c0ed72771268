internal import FlowCore
internal import FlowLanguage

/// The end of a pipeline: what arrives goes out on the stream.
@safe  // memory 3
final class PipelineSubscriber: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  // The stream cancels this before it is freed, and is freed at the end of the turn.
  private let stream: Unmanaged<ClientSubscription>
  /// Whether the stream has neither got the end nor cancelled.
  private var isOpen = true
  private var subscription: _HeldSubscription?

  init(_ stream: ClientSubscription) { unsafe self.stream = .passUnretained(stream) }

  @inline(__always)
  private func with<R>(_ body: (ClientSubscription) -> R) -> R {
    unsafe stream._withUnsafeGuaranteedRef(body)
  }

  func receive(subscription: any Subscription) {
    guard isOpen, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription._held
    subscription.mayHandPayloads(to: self)
    // As a sink does: what was asked for with SUB is there before the first value can be.
    if isOpen { with { $0.requestMore() } }
  }

  func receive(_ input: Value) -> Subscribers.Demand { isOpen ? with { $0.receive(input) } : .none }

  func room(for largest: Int) -> Int { isOpen ? with { $0.room(for: largest) } : 0 }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    isOpen ? with { $0.receive(payloads) } : .none
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    isOpen ? with { unsafe $0.receive(payload) } : .none
  }

  /// It is the end of one pipeline.
  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    isOpen = false
    subscription = nil
    with { $0.finish(completion) }
  }

  func request(_ count: Int) { subscription?.request(.max(count)) }

  func cancel() {
    isOpen = false
    let old = subscription
    subscription = nil
    old?.cancel()
  }
}
