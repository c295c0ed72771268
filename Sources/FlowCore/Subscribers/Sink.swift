extension Subscribers {
  /// Requests everything and hands it to closures.
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
    private let overlapCheck = OverlapCheck()

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

    /// Requests everything; cancels `subscription` if it is not the first, or comes too late.
    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard case .waiting = state else { return false }
        state = .subscribed(subscription)
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Calls `receiveValue`, on the thread that delivers.
    public func receive(_ input: Input) -> Subscribers.Demand {
      overlapCheck.during { lock.withLock { closures }?.value(input) }
      return .none
    }

    /// Calls `receiveCompletion`, and lets go of both closures.
    public func receive(completion: Subscribers.Completion<Failure>) {
      let (state, closures) = lock.withLock { end() }
      overlapCheck.during { closures?.completion(completion) }
      withExtendedLifetime(state) {}
    }

    /// Cancels the subscription and lets go of both closures; if none has come, it will be refused.
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
  /// "Sink".
  public var description: String { "Sink" }
  /// A mirror without children, as Combine's.
  public var customMirror: Mirror { Mirror(self, children: []) }
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Requests everything and hands it to closures, until the result is cancelled or released.
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
      return AnyCancellable()
    }
    let cancellable = AnyCancellable()
    let link = _SinkLink(cancellable)
    let ending = _SinkEnding(receive: receiveCompletion)
    subscribe(_SinkSubscriber<Output, Failure, _SinkEnding>(link, ending, receiveValue))
    return cancellable
  }
}

extension Publisher where Failure == Never {
  /// Requests everything and hands it to a closure, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    if Self._immediacy != .never,
      let _ = _forEach({ value in
        receiveValue(value)
        return true
      })
    {
      return AnyCancellable()
    }
    let cancellable = AnyCancellable()
    let link = _SinkLink(cancellable)
    subscribe(_SinkSubscriber<Output, Never, _NoEnding>(link, _NoEnding(), receiveValue))
    return cancellable
  }
}

/// What is done at the end of a `sink`.
@usableFromInline
protocol _Ending<Failure> {
  associatedtype Failure: Error
  func receive(_ completion: Subscribers.Completion<Failure>)
}

@frozen
@usableFromInline
struct _SinkEnding<Failure: Error>: _Ending {
  @usableFromInline let receive: (Subscribers.Completion<Failure>) -> Void

  @inlinable @inline(__always)
  init(receive: @escaping (Subscribers.Completion<Failure>) -> Void) { self.receive = receive }

  @inlinable
  func receive(_ completion: Subscribers.Completion<Failure>) { receive(completion) }
}

@frozen
@usableFromInline
struct _NoEnding: _Ending {
  @inlinable @inline(__always)
  init() {}

  @inlinable
  func receive(_ completion: Subscribers.Completion<Never>) {}
}

/// What `sink` subscribes: its closures are the upstream's to call, and to release at the end.
@frozen
@usableFromInline
struct _SinkSubscriber<Input, Failure: Error, Ending: _Ending>: Subscriber
where Ending.Failure == Failure {
  @usableFromInline let link: _SinkLink
  @usableFromInline let receiveValue: (Input) -> Void
  @usableFromInline let overlapCheck = OverlapCheck()
  /// Behind the rest, which so lies the same whatever this is.
  @usableFromInline let ending: Ending

  @inlinable @inline(__always)
  init(_ link: _SinkLink, _ ending: Ending, _ receiveValue: @escaping (Input) -> Void) {
    self.link = link
    self.receiveValue = receiveValue
    self.ending = ending
  }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { unsafe CombineIdentifier(address: link.address) }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { link.start(subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    overlapCheck.during { receiveValue(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    overlapCheck.during { if link.end() { ending.receive(completion) } }
  }
}

extension _SinkSubscriber: _SelfDescribing {
  @usableFromInline
  var description: String { "Sink" }
}
