extension AsyncSequence {
  /// Publishes the elements, each taken only when it has been asked for.
  ///
  ///     sequence     1--2--3--|
  ///     demand 2     1--2
  ///
  /// Each subscription has an iterator of its own, which runs in a task while there is demand;
  /// elements are delivered there. The end is found where the next element would be, so it comes
  /// with the next request. Cancelling cancels the task and lets the iterator go.
  public var publisher: Publishers.AsyncElements<Self> { Publishers.AsyncElements(sequence: self) }
}

extension Publishers {
  /// See `AsyncSequence.publisher`.
  public struct AsyncElements<Elements: AsyncSequence>: Publisher {
    public typealias Output = Elements.Element
    public typealias Failure = Elements.Failure

    /// The sequence.
    public let sequence: Elements

    /// Makes a publisher of a sequence's elements.
    public init(sequence: Elements) { self.sequence = sequence }

    /// Attaches `subscriber` with an iterator of its own, which is made now and used when there is
    /// demand.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subscriber.receive(subscription: Inner(sequence.makeAsyncIterator(), subscriber))
    }
  }
}

extension Publishers.AsyncElements {
  /// Runs a task per stretch of demand; the counter of the demand says who runs.
  ///
  /// The lock guards the downstream and the task; the iterator belongs to the task.
  private final class Inner<Downstream: Subscriber>: Subscription, CustomStringConvertible,
    @unchecked Sendable
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let demand = DemandCounter()
    private let lock = Lock()
    private var iterator: Elements.AsyncIterator?
    private var downstream: Downstream?
    private var task: Task<Void, Never>?

    init(_ iterator: Elements.AsyncIterator, _ downstream: Downstream) {
      self.iterator = iterator
      self.downstream = downstream
    }

    var description: String { "AsyncSequence" }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      guard self.demand.add(demand._count) else { return }
      let run = HandedOver<() async -> Void>(value: run)
      let isActive = lock.withLock {
        guard downstream != nil else { return false }
        task = Task { await run.value() }
        return true
      }
      if !isActive { iterator = nil }
    }

    func cancel() {
      let (task, downstream) = end()
      task?.cancel()
      // If no task has the iterator none will have: this demand is never met.
      if downstream != nil, demand.add(1) { iterator = nil }
    }

    /// Takes out what is to be cancelled or told, once.
    private func end() -> (task: Task<Void, Never>?, downstream: Downstream?) {
      lock.withLock {
        defer {
          task = nil
          downstream = nil
        }
        return (task, downstream)
      }
    }

    private func run() async {
      guard var iterator = iterator.take() else { return }
      while lock.withLock({ downstream != nil }) {
        do throws(Failure) {
          guard let element = try await iterator.next(isolation: nil) else {
            end().downstream?.receive(completion: .finished)
            return
          }
          guard let downstream = lock.withLock({ downstream }) else { return }
          let more = downstream.receive(element)
          if more > 0 { _ = demand.add(more._count) }
        } catch {
          end().downstream?.receive(completion: .failure(error))
          return
        }
        if demand.current > 1 {
          _ = demand.subtract(1)
        } else {
          // The task that a request starts next finds the iterator there.
          self.iterator = iterator
          guard demand.subtract(1) > 0, let again = self.iterator.take() else { return }
          iterator = again
        }
      }
    }
  }
}
