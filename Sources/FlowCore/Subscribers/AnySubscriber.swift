/// A subscriber whose type is hidden.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let object: AnyObject
  @usableFromInline let value: (AnyObject, Input) -> Int
  @usableFromInline let control: (AnyObject, _Control) -> Void

  @usableFromInline
  @frozen
  enum _Control {
    case subscription(any Subscription)
    case completion(Subscribers.Completion<Failure>)
  }

  /// Hides the type of `subscriber`.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let same = subscriber as? AnySubscriber<Input, Failure> {
      self = same
      return
    }
    if S.self is AnyObject.Type {
      // An object needs no box, which tells with thousands of pipelines.
      object = _object(subscriber)
      value = { _reference($0, as: S.self).receive($1)._count }
      control = { object, signal in
        let subscriber = _reference(object, as: S.self)
        switch signal {
        case .subscription(let subscription): subscriber.receive(subscription: subscription)
        case .completion(let completion): subscriber.receive(completion: completion)
        }
      }
      return
    }
    object = _SubscriberBox(subscriber)
    // memory 7
    value = { unsafe unsafeDowncast($0, to: _SubscriberBox<S>.self).subscriber.receive($1)._count }
    control = { object, signal in
      let subscriber = unsafe unsafeDowncast(object, to: _SubscriberBox<S>.self).subscriber
      switch signal {
      case .subscription(let subscription): subscriber.receive(subscription: subscription)
      case .completion(let completion): subscriber.receive(completion: completion)
      }
    }
  }

  /// Makes a subscriber that sends everything to `subject`, which requests what it can take.
  public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(_WeakSubject(subject)))
  }

  /// Makes a subscriber of closures; without a closure for the subscription, nothing is requested.
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    self.init(
      ClosureSubscriber(
        onSubscription: receiveSubscription,
        onValue: receiveValue,
        onCompletion: receiveCompletion
      )
    )
  }

  /// The identifier of the subscriber that is hidden.
  public var combineIdentifier: CombineIdentifier { erased.combineIdentifier }

  /// Whether what it hides is `object`, and not something that hands on to it.
  package func hides(_ object: AnyObject) -> Bool { erased as AnyObject === object }

  /// Passes the subscription to the hidden subscriber.
  @inlinable
  public func receive(subscription: any Subscription) {
    control(object, .subscription(subscription))
  }

  /// Passes a value to the hidden subscriber, and returns its demand.
  @inlinable @inline(__always)
  public func receive(_ input: Input) -> Subscribers.Demand {
    Subscribers.Demand(_count: value(object, input))
  }

  /// Passes the end to the hidden subscriber.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) {
    control(object, .completion(completion))
  }
}

@usableFromInline
final class _SubscriberBox<S: Subscriber>: ErasedSubscriber {
  @usableFromInline let subscriber: S

  @inlinable
  init(_ subscriber: S) { self.subscriber = subscriber }

  var erased: any Subscriber { subscriber }
}

/// What is known of a subscriber whose type is hidden.
private protocol ErasedSubscriber {
  var erased: any Subscriber { get }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  private var erased: any Subscriber {
    (object as? any ErasedSubscriber)?.erased ?? (object as? any Subscriber) ?? self
  }

  /// The description of the subscriber that is hidden.
  public var description: String { String(describing: erased) }

  /// A mirror of the subscriber that is hidden.
  public var customMirror: Mirror { Mirror(reflecting: erased) }

  public var playgroundDescription: Any { description }
}

private final class ClosureSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible,
  CustomReflectable
{
  let onSubscription: ((any Subscription) -> Void)?
  let onValue: ((Input) -> Subscribers.Demand)?
  let onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  init(
    onSubscription: ((any Subscription) -> Void)?,
    onValue: ((Input) -> Subscribers.Demand)?,
    onCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  var description: String { "Anonymous AnySubscriber" }
  var customMirror: Mirror { Mirror(reflecting: description) }

  func receive(subscription: any Subscription) { onSubscription?(subscription) }
  func receive(_ input: Input) -> Subscribers.Demand { onValue?(input) ?? .none }
  func receive(completion: Subscribers.Completion<Failure>) { onCompletion?(completion) }
}
