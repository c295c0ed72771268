/// A publisher that is told from outside what to publish.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes `value` to the subscribers that have asked for one.
  func send(_ value: Output)

  /// Ends publishing; sends after this do nothing.
  func send(completion: Subscribers.Completion<Failure>)

  /// Takes a subscription from upstream, of which the subject asks for what it can republish.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes one empty value.
  public func send() { send(()) }
}
