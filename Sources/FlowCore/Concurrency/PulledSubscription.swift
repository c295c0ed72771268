/// A subscription of which tasks take the values one by one.
///
/// It is cancelled when it is let go. Its inner part is what the publisher holds.
final class PulledSubscription<Output, Failure: Error> {
  private let inner = Inner()

  init(_ publisher: some Publisher<Output, Failure>) { publisher.subscribe(inner) }

  deinit { inner.cancel() }

  /// Asks for a value and waits for it.
  func next(isolation actor: isolated (any Actor)?) async -> Result<Output?, Failure> {
    let inner = inner
    return await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: actor) { inner.wait($0) }
      },
      onCancel: { inner.cancel() },
      isolation: actor
    ).value
  }
}

/// Carries a value to another task: Combine asks no one's values to be `Sendable`.
struct HandedOver<Value>: @unchecked Sendable {  // handed over, then used by one task only
  let value: Value
}

extension PulledSubscription {
  private typealias Answer = HandedOver<Result<Output?, Failure>>
  private typealias Waiting = UnsafeContinuation<Answer, Never>

  /// The lock guards all state.
  private final class Inner: Subscriber, Cancellable, @unchecked Sendable {
    typealias Input = Output

    private enum State {
      /// Not subscribed yet.
      case awaiting
      case subscribed(any Subscription)
      /// Over; a failure that nobody waited for is kept for who asks next.
      case over(Failure?)
    }

    private let lock = Lock()
    private var state = State.awaiting
    private var waiting = _Queue<Waiting>()
    /// What was asked for before there was a subscription.
    private var demand = Subscribers.Demand.none

    func wait(_ continuation: Waiting) {
      let (subscription, answer): ((any Subscription)?, Answer?) = lock.withLock {
        switch state {
        case .awaiting:
          waiting.append(continuation)
          demand += 1
          return (nil, nil)
        case .subscribed(let subscription):
          waiting.append(continuation)
          return (subscription, nil)
        case .over(let failure):
          state = .over(nil)
          return (nil, Self.end(failure))
        }
      }
      if let answer { return continuation.resume(returning: answer) }
      subscription?.request(.max(1))
    }

    func receive(subscription: any Subscription) {
      let demand: Subscribers.Demand? = lock.withLock {
        guard case .awaiting = state else { return nil }
        state = .subscribed(subscription)
        return self.demand
      }
      guard let demand else { return subscription.cancel() }
      if demand > 0 { subscription.request(demand) }
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      let (isOver, first, isSubscribed) = lock.withLock {
        switch state {
        case .over: (true, nil as Waiting?, true)
        case .subscribed: (false, waiting.popFirst(), true)
        case .awaiting: (false, nil as Waiting?, false)
        }
      }
      if isOver { return .none }
      // As in Combine, a value from a publisher that has yet to subscribe ends the waiting.
      guard isSubscribed else {
        resume(lock.withLock { takeWaiting() }, failure: nil)
        return .none
      }
      guard let first else { preconditionFailure("a value came that was not asked for") }
      first.resume(returning: Answer(value: .success(input)))
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      let failure: Failure? = if case .failure(let error) = completion { error } else { nil }
      end(failure)
    }

    func cancel() { end(nil)?.cancel() }

    /// Ends it, once, and the waiting; returns the subscription it had.
    @discardableResult
    private func end(_ failure: Failure?) -> (any Subscription)? {
      let (subscription, waiting): ((any Subscription)?, _Queue<Waiting>) = lock.withLock {
        let old = state
        if case .over = old { return (nil, _Queue()) }
        let waiting = takeWaiting()
        state = .over(waiting.isEmpty ? failure : nil)
        if case .subscribed(let subscription) = old { return (subscription, waiting) }
        return (nil, waiting)
      }
      resume(waiting, failure: failure)
      return subscription
    }

    private func takeWaiting() -> _Queue<Waiting> {
      defer { waiting = _Queue() }
      return waiting
    }

    private func resume(_ waiting: _Queue<Waiting>, failure: Failure?) {
      var waiting = waiting
      var failure = failure
      while let next = waiting.popFirst() {
        next.resume(returning: Self.end(failure))
        failure = nil
      }
    }

    private static func end(_ failure: Failure?) -> Answer {
      Answer(value: failure.map { .failure($0) } ?? .success(nil))
    }
  }
}
