extension Subscribers {
  /// Asks for everything and hands it to closures.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
    /// Called with each value, on the thread that delivers it.
    public let receiveValue: (Input) -> Void
    /// Called with the end.
    public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    private let lock = Lock()
    private var subscription: (any Subscription)?
    private var isOver = false

    /// Makes a subscriber that calls these closures.
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard !isOver, self.subscription == nil else { return false }
        self.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    @inlinable @inline(__always)
    public func receive(_ input: Input) -> Subscribers.Demand {
      receiveValue(input)
      return .none
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
      _ = end()
      receiveCompletion(completion)
    }

    public func cancel() { end()?.cancel() }

    private func end() -> (any Subscription)? {
      lock.withLock {
        isOver = true
        defer { subscription = nil }
        return subscription
      }
    }
  }
}

extension Subscribers.Sink: CustomStringConvertible {
  public var description: String { "Sink" }
}

extension Publisher {
  /// Asks for everything and hands it to closures, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
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
