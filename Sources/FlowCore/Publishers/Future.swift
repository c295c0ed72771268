/// Publishes one value that is promised and may come later, then finishes, or fails.
///
/// The closure runs once, at once, on the thread that makes the future. The first promise counts;
/// later ones do nothing. A subscriber that comes later gets the same result.
public final class Future<Output, Failure: Error>: Publisher {
  /// Keeps the promise; may be called from any thread.
  public typealias Promise = (Result<Output, Failure>) -> Void

  private let lock = Lock()
  private var result: Result<Output, Failure>?
  private var waiting: [() -> Void] = []

  /// Makes a future and runs the closure that will keep its promise.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { self.keep($0) }
  }

  private func keep(_ result: Result<Output, Failure>) {
    let waiting = lock.withLock {
      guard self.result == nil else { return [] as [() -> Void] }
      self.result = result
      defer { self.waiting.removeAll() }
      return self.waiting
    }
    for deliver in waiting { deliver() }
  }

  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let inner = Inner(parent: self, downstream: subscriber)
    subscriber.receive(subscription: inner)
    let isKept = lock.withLock {
      if result == nil { waiting.append { inner.deliver() } }
      return result != nil
    }
    if isKept { inner.deliver() }
  }

  private func current() -> Result<Output, Failure>? { lock.withLock { result } }

  private final class Inner<Downstream: Subscriber>: Subscription, CustomStringConvertible
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let lock = Lock()
    private var downstream: Downstream?
    private var parent: Future?
    private var isRequested = false

    init(parent: Future, downstream: Downstream) {
      self.parent = parent
      self.downstream = downstream
    }

    var description: String { "Future" }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      lock.withLock { isRequested = true }
      deliver()
    }

    func cancel() { _ = take() }

    private func take() -> Downstream? {
      lock.withLock {
        parent = nil
        defer { downstream = nil }
        return downstream
      }
    }

    /// A failure needs no demand, a value does.
    func deliver() {
      let parent = lock.withLock { self.parent }
      let isRequested = lock.withLock { self.isRequested }
      switch parent?.current() {
      case nil: break
      case .success(let value):
        guard isRequested, let downstream = take() else { return }
        _ = downstream.receive(value)
        downstream.receive(completion: .finished)
      case .failure(let error): take()?.receive(completion: .failure(error))
      }
    }
  }
}
