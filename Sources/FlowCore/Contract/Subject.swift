/// A publisher that publishes what is sent to it.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes `value` to the subscribers that have asked for one.
  func send(_ value: Output)

  /// Ends publishing; sends after this do nothing.
  func send(completion: Subscribers.Completion<Failure>)

  /// Takes the subscription of an upstream, from which the subject requests what it can republish.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes one empty value.
  public func send() { send(()) }
}
