/// Publishes one value that is promised and may come later, then finishes, or fails.
///
/// The closure runs once, at once, on the thread that makes the future. The first result counts;
/// later ones are ignored. A subscriber that comes later gets the same result.
public final class Future<Output, Failure: Error>: Publisher {
  /// Keeps the promise; may be called from any thread, so a task or a queue may take it along.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  private let lock = Lock()
  private var result: Result<Output, Failure>?
  /// Tells those who wait, by their numbers, which grow.
  private var waiting: [Int: (Result<Output, Failure>) -> Void] = [:]
  private var lastNumber = 0

  /// Makes a future and runs the closure that will keep its promise.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    // The lock guards all state, whatever the output is (memory 5).
    nonisolated(unsafe) let future = self
    attemptToFulfill { unsafe future.keep($0) }
  }

  private func keep(_ result: Result<Output, Failure>) {
    let waiting = lock.withLock {
      guard self.result == nil else { return [:] as [Int: (Result<Output, Failure>) -> Void] }
      self.result = result
      defer { self.waiting = [:] }
      return self.waiting
    }
    for (_, tell) in waiting.sorted(by: { $0.key < $1.key }) { tell(result) }
  }

  /// Attaches `subscriber`, which is sent the result as soon as there is one.
  ///
  /// A value needs demand; a failure does not.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    let inner = Inner(future: self, number: number, downstream: subscriber)
    subscriber.receive(subscription: inner)
    let tell: (Result<Output, Failure>) -> Void = {
      inner.deliver($0)
      inner.forgetFuture()
    }
    let result = lock.withLock {
      if self.result == nil, !inner.isOver { waiting[number] = tell }
      return self.result
    }
    if let result { tell(result) }
  }

  private var kept: Result<Output, Failure>? { lock.withLock { result } }

  private func forget(_ number: Int) {
    let tell = lock.withLock { waiting.removeValue(forKey: number) }
    withExtendedLifetime(tell) {}
  }
}

// The lock guards all state.
extension Future: @unchecked Sendable where Output: Sendable {}

extension Future {
  private final class Inner<Downstream: Subscriber>: Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private enum State {
      case waiting(Downstream, isRequested: Bool)
      case sending
      case over
    }

    private let number: Int
    private let lock = Lock()
    private var state: State
    /// There until the result has been sent; as in Combine, a result that waited for demand
    /// leaves it there.
    private var future: Future?

    init(future: Future, number: Int, downstream: Downstream) {
      self.future = future
      self.number = number
      state = .waiting(downstream, isRequested: false)
    }

    var description: String { "Future" }

    var _children: [Mirror.Child] {
      let (future, state) = lock.withLock { (self.future, self.state) }
      var downstream: Downstream?
      var hasAnyDemand = false
      if case .waiting(let waiting, let isRequested) = state {
        (downstream, hasAnyDemand) = (waiting, isRequested)
      }
      return [
        ("parent", future as Any),
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("hasAnyDemand", hasAnyDemand),
        ("subject", future as Any),
      ]
    }

    var isOver: Bool {
      lock.withLock { if case .over = state { true } else { false } }
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let future: Future? = lock.withLock {
        guard case .waiting(let downstream, _) = state else { return nil }
        state = .waiting(downstream, isRequested: true)
        return self.future
      }
      if let result = future?.kept { deliver(result) }
    }

    func cancel() {
      _ = replaceState { _ in .over }
      forgetFuture()?.forget(number)
    }

    /// Sends the result; a value needs demand, a failure does not.
    func deliver(_ result: Result<Output, Failure>) {
      switch result {
      case .success(let value):
        let old = replaceState {
          if case .waiting(_, isRequested: true) = $0 { .sending } else { nil }
        }
        guard case .waiting(let downstream, _) = old else { return }
        _ = downstream.receive(value)
        guard replaceState({ if case .sending = $0 { .over } else { nil } }) != nil else { return }
        downstream.receive(completion: .finished)
      case .failure(let error):
        let old = replaceState { if case .waiting = $0 { .over } else { nil } }
        guard case .waiting(let downstream, _) = old else { return }
        downstream.receive(completion: .failure(error))
      }
    }

    /// Lets go of the future, once the result has been sent.
    @discardableResult
    func forgetFuture() -> Future? {
      lock.withLock {
        guard case .over = state else { return nil }
        return future.take()
      }
    }

    /// Goes on to the next state, if there is one; returns the old one then.
    private func replaceState(_ next: (State) -> State?) -> State? {
      lock.withLock {
        guard let next = next(state) else { return nil }
        defer { state = next }
        return state
      }
    }
  }
}
