import FlowCore

/// Sends a publisher's values through an outlet of its own, which requests them.
final class RemoteSubscriber<Input>: Subscriber, Cancellable {
  typealias Failure = RemoteError

  private let outlet: RemoteOutlet
  private let encode: @Sendable (Input) throws(RemoteError) -> [UInt8]

  init(
    _ outlet: RemoteOutlet,
    encode: @escaping @Sendable (Input) throws(RemoteError) -> [UInt8]
  ) {
    self.outlet = outlet
    self.encode = encode
  }

  func receive(subscription: any Subscription) { outlet.attach(subscription) }

  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.send(input, encode)
    return .none
  }

  func receive(completion: Subscribers.Completion<RemoteError>) { outlet.complete(completion) }

  /// Cancels the upstream, and ends the publication after all values.
  func cancel() {
    outlet.detach()
    outlet.finish { _ in }
  }
}
