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

/// The namespace of subscribers, of their demand and of completions.
public enum Subscribers {}

/// The namespace of the publishers that operators return.
public enum Publishers {}

/// The namespace of the subscriptions that FlowCore provides.
public enum Subscriptions {}
