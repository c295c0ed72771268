/// A subscription of which tasks take the values one by one.
///
/// It is cancelled when it is let go. Its inner part is what the publisher holds.
@usableFromInline
final class PulledSubscription<Output, Failure: Error> {
  @usableFromInline let inner = PullSubscriber<Output, Failure>()

  @inlinable
  init(_ publisher: some Publisher<Output, Failure>) { publisher.subscribe(inner) }

  deinit { inner.cancel() }

  /// Asks for a value and waits for it, unless it comes at once.
  @inlinable
  func next(isolation actor: isolated (any Actor)?) async -> Result<Output?, Failure> {
    let inner = inner
    if Task.isCancelled { inner.cancel() } else if let answer = inner.pull() { return answer }
    return await withTaskCancellationHandler(
      operation: {
        unsafe await withUnsafeContinuation(isolation: actor) { unsafe inner.wait($0) }
      },
      onCancel: { inner.cancel() },
      isolation: actor
    ).value
  }
}

/// Carries a value to another task or thread: Combine asks no one's values to be `Sendable`.
@frozen
@usableFromInline
package struct HandedOver<Value>: @unchecked Sendable {  // handed over, then used by one only
  @usableFromInline package let value: Value

  @inlinable
  package init(value: Value) { self.value = value }
}

/// What a `PulledSubscription` subscribes with; the lock guards all state.
@usableFromInline
@safe
final class PullSubscriber<Output, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
  @usableFromInline typealias Input = Output
  @usableFromInline typealias Answer = HandedOver<Result<Output?, Failure>>
  @usableFromInline typealias Waiting = UnsafeContinuation<Answer, Never>

  @frozen
  @usableFromInline
  enum State {
    /// Not subscribed yet.
    case awaiting
    case subscribed(_HeldSubscription)
    /// Over; a failure that nobody waited for is kept for who asks next.
    case over(Failure?)
  }

  @usableFromInline let lock = Lock()
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var pulls = Pulls()

  @usableFromInline
  @safe
  struct Pulls {
    @usableFromInline var phase = State.awaiting
    /// How many values have been asked for that have not come.
    @usableFromInline var expected = 0
    /// Those who wait; then nothing has arrived that they have not been given.
    @safe @usableFromInline var waiting = unsafe Fifo<Waiting>()
    /// What came before whoever has asked for it waits.
    @usableFromInline var arrived = Fifo<Output>()

    @inlinable init() {}
  }

  @inlinable
  init() {}

  /// Asks for one value; returns it, or the end, if that comes at once.
  @inlinable
  func pull() -> Result<Output?, Failure>? {
    let subscription: _HeldSubscription? = lock.withLock {
      if case .over = pulls.phase { return nil }
      pulls.expected += 1
      if case .subscribed(let subscription) = pulls.phase { return subscription }
      return nil
    }
    subscription?.request(.max(1))
    return lock.withLock { takeAnswer() }
  }

  /// A value that has arrived, or the end; with the lock held.
  @inlinable
  func takeAnswer() -> Result<Output?, Failure>? {
    if let value = pulls.arrived.popFirst() { return .success(value) }
    guard case .over(let failure) = pulls.phase else { return nil }
    pulls.phase = .over(nil)
    return failure.map { .failure($0) } ?? .success(nil)
  }

  /// Resumes a task that has pulled in vain with what comes.
  @usableFromInline
  func wait(_ continuation: Waiting) {
    let answer: Result<Output?, Failure>? = lock.withLock {
      let answer = takeAnswer()
      if answer == nil { unsafe pulls.waiting.append(continuation) }
      return answer
    }
    if let answer { unsafe continuation.resume(returning: Answer(value: answer)) }
  }

  @inlinable
  func receive(subscription: any Subscription) {
    let demand: Int? = lock.withLock {
      guard case .awaiting = pulls.phase else { return nil }
      pulls.phase = .subscribed(subscription._held)
      return pulls.expected
    }
    guard let demand else { return subscription.cancel() }
    if demand > 0 { subscription.request(.max(demand)) }
  }

  @inlinable
  func receive(_ input: Output) -> Subscribers.Demand {
    let (first, isEarly): (Waiting?, Bool) = unsafe lock.withLock {
      switch pulls.phase {
      case .over: return (nil, false)
      case .awaiting: return (nil, true)
      case .subscribed:
        if pulls.expected > 0 { pulls.expected -= 1 }
        let first = unsafe pulls.waiting.popFirst()
        if unsafe first == nil { pulls.arrived.append(input) }
        return unsafe (first, false)
      }
    }
    // As in Combine, a value from a publisher that has yet to subscribe ends the waiting.
    if isEarly { unsafe resume(lock.withLock { unsafe takeWaiting() }, failure: nil) }
    unsafe first?.resume(returning: Answer(value: .success(input)))
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    let failure: Failure? = if case .failure(let error) = completion { error } else { nil }
    _ = end(failure)
  }

  @usableFromInline
  func cancel() {
    let unused = lock.withLock {
      defer { pulls.arrived = Fifo() }
      return pulls.arrived
    }
    end(nil)?.cancel()
    withExtendedLifetime(unused) {}
  }

  /// Ends it, once, and the waiting; returns the subscription it had.
  private func end(_ failure: Failure?) -> _HeldSubscription? {
    let (subscription, waiting): (_HeldSubscription?, Fifo<Waiting>) = unsafe lock.withLock {
      let old = pulls.phase
      if case .over = old { return unsafe (nil, Fifo()) }
      let waiting = unsafe takeWaiting()
      pulls.phase = unsafe .over(waiting.isEmpty ? failure : nil)
      if case .subscribed(let subscription) = old { return unsafe (subscription, waiting) }
      return unsafe (nil, waiting)
    }
    unsafe resume(waiting, failure: failure)
    return subscription
  }

  @usableFromInline
  func takeWaiting() -> Fifo<Waiting> {
    defer { pulls.waiting = unsafe Fifo() }
    return pulls.waiting
  }

  @usableFromInline
  func resume(_ waiting: Fifo<Waiting>, failure: Failure?) {
    var (waiting, failure) = unsafe (waiting, failure)
    while let next = unsafe waiting.popFirst() {
      unsafe next.resume(returning: Answer(value: failure.map { .failure($0) } ?? .success(nil)))
      failure = nil
    }
  }
}
