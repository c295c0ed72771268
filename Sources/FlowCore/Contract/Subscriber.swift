/// Receives values and a completion from a publisher, after asking for them.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The kind of value received.
  associatedtype Input
  /// The kind of error that can end the values.
  associatedtype Failure: Error

  /// Takes the subscription through which to ask for values; called once, before anything else.
  func receive(subscription: any Subscription)

  /// Takes one value.
  ///
  /// - Returns: how many more values are wanted, in addition to all asked for before.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Takes the end; nothing follows it.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Takes one empty value.
  public func receive() -> Subscribers.Demand { receive(()) }
}

/// The name space of subscribers and of what they say.
public enum Subscribers {}

/// The name space of publishers that operators make.
public enum Publishers {}

/// The name space of what there is of subscriptions.
public enum Subscriptions {}
