extension Subscribers {
  /// Asks for everything and hands it to closures.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
    private enum State {
      case waiting
      case subscribed(any Subscription)
      case ended
    }

    private struct Closures {
      var value: (Input) -> Void
      var completion: (Subscribers.Completion<Failure>) -> Void
    }

    private let lock = Lock()
    private var state = State.waiting
    /// There until the end.
    private var closures: Closures?

    /// Makes a subscriber that calls these closures.
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      closures = Closures(value: receiveValue, completion: receiveCompletion)
    }

    /// Called with each value, on the thread that delivers it; does nothing after the end.
    public var receiveValue: (Input) -> Void { lock.withLock { closures }?.value ?? { _ in } }

    /// Called with the end; does nothing after it.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
      lock.withLock { closures }?.completion ?? { _ in }
    }

    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard case .waiting = state else { return false }
        state = .subscribed(subscription)
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
      lock.withLock { closures }?.value(input)
      return .none
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
      let (state, closures) = lock.withLock { end() }
      closures?.completion(completion)
      withExtendedLifetime(state) {}
    }

    public func cancel() {
      let (old, closures): (State, Closures?) = lock.withLock {
        // Combine keeps the closures of a subscriber that nobody has subscribed.
        guard case .waiting = state else { return end() }
        state = .ended
        return (.waiting, nil)
      }
      if case .subscribed(let subscription) = old { subscription.cancel() }
      withExtendedLifetime(closures) {}
    }

    private func end() -> (State, Closures?) {
      defer {
        state = .ended
        closures = nil
      }
      return (state, closures)
    }
  }
}

extension Subscribers.Sink: CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  public var description: String { "Sink" }
  public var customMirror: Mirror { Mirror(self, children: []) }
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Asks for everything and hands it to closures, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    if Self._immediacy != .never,
      let end = _forEach({ value in
        receiveValue(value)
        return true
      })
    {
      if case .failure(let error) = end {
        receiveCompletion(.failure(error))
      } else {
        receiveCompletion(.finished)
      }
      return AnyCancellable {}
    }
    let link = _SinkLink()
    subscribe(_SinkSubscriber<Output, Failure>(link, receiveCompletion, receiveValue))
    return AnyCancellable(link)
  }
}

extension Publisher where Failure == Never {
  /// Asks for everything and hands it to a closure, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

/// What `sink` subscribes: its closures are the upstream's to call, and to release at the end.
@frozen
@usableFromInline
struct _SinkSubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let link: _SinkLink
  @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
  @usableFromInline let receiveValue: (Input) -> Void

  @inlinable @inline(__always)
  init(
    _ link: _SinkLink,
    _ receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    self.link = link
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(link) }

  @inlinable
  func receive(subscription: any Subscription) { link.start(subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    receiveValue(input)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.end() { receiveCompletion(completion) }
  }
}

extension _SinkSubscriber: CustomStringConvertible {
  @usableFromInline
  var description: String { "Sink" }
}

/// The way from what `sink` returns to the subscription, until the end.
@usableFromInline
final class _SinkLink: Cancellable {
  private let lock = Lock()
  private var subscription: (any Subscription)?
  private var isOver = false

  @usableFromInline
  init() {}

  @usableFromInline
  func start(_ subscription: any Subscription) {
    let isWanted = lock.withLock {
      guard !isOver, self.subscription == nil else { return false }
      self.subscription = subscription
      return true
    }
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  /// Lets the subscription go; true the first time.
  @usableFromInline
  func end() -> Bool {
    let (isFirst, subscription) = takeSubscription()
    withExtendedLifetime(subscription) {}
    return isFirst
  }

  @usableFromInline
  func cancel() { takeSubscription().subscription?.cancel() }

  private func takeSubscription() -> (isFirst: Bool, subscription: (any Subscription)?) {
    lock.withLock {
      defer {
        isOver = true
        subscription = nil
      }
      return (!isOver, subscription)
    }
  }
}
