internal import FlowCore
internal import FlowLanguage

/// The end of a pipeline: what arrives goes out on the stream.
final class PipelineSubscriber: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private var stream: ClientSubscription?
  private var subscription: _HeldSubscription?

  init(_ stream: ClientSubscription) { self.stream = stream }

  func receive(subscription: any Subscription) {
    guard stream != nil, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription._held
    subscription.mayHandPayloads(to: self)
    // As a sink does: what was asked for with SUB is there before the first value can be.
    stream?.requestMore()
  }

  func receive(_ input: Value) -> Subscribers.Demand { stream?.receive(input) ?? .none }

  func room(for largest: Int) -> Int { stream?.room(for: largest) ?? 0 }

  func receive(_ payloads: Payloads) -> Subscribers.Demand { stream?.receive(payloads) ?? .none }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe stream?.receive(payload) ?? .none
  }

  /// It is the end of one pipeline.
  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    let stream = stream
    self.stream = nil
    subscription = nil
    stream?.finish(completion)
  }

  func request(_ count: Int) { subscription?.request(.max(count)) }

  func cancel() {
    stream = nil
    let old = subscription
    subscription = nil
    old?.cancel()
  }
}
