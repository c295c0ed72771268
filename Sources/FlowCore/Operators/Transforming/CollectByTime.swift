extension Publisher {
  /// Publishes values in arrays, each what came in a span of time.
  ///
  ///     source                 -1-2--3---|
  ///     collect(.byTime(4))    ----[1,2]---[3]-|
  ///
  /// The time runs from the subscription on; arrays and the end come on the strategy's scheduler.
  /// Nothing is sent for a span without values. With `.byTimeOrCount` an array is also sent when
  /// it holds so many values, which does not restart the time. What is collected while there is no
  /// demand waits for a later span. At the end the rest is sent if there is demand; a failure
  /// discards it.
  ///
  /// With `.byTime`, once there is demand, one more value is requested for each that comes, so
  /// there is no bound to what waits; with `.byTimeOrCount` as many values are requested as full
  /// arrays hold. As in Combine, demand that comes back with an array that was not full is not
  /// passed on, since part of what was asked for before is still to come.
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {
  /// When collected values are sent.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// Once an interval.
    case byTime(Context, Context.SchedulerTimeType.Stride)
    /// Once an interval, and whenever there are so many.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }

  /// See `collect(_:options:)`.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// Arrays of the values that came in a span of time; none is empty.
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// Which scheduler sends the arrays, and when.
    public let strategy: TimeGroupingStrategy<Context>
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher of arrays of the values of `upstream`, sent as `strategy` says.
    ///
    /// A count below 1 in `strategy` traps when somebody subscribes.
    public init(
      upstream: Upstream,
      strategy: TimeGroupingStrategy<Context>,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      if case .byTimeOrCount(_, _, let count) = strategy {
        precondition(count > 0, "count is \(count), expected 1 or more")
      }
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.CollectByTime {
  private final class Inner<Downstream: Subscriber>: TimedSubscription<Downstream, Context>,
    Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let count: Int?
    /// The lock guards it.
    private var buffer: Output = []

    init(_ downstream: Downstream, _ collect: Publishers.CollectByTime<Upstream, Context>) {
      switch collect.strategy {
      case .byTime(let scheduler, let interval):
        count = nil
        super.init(downstream, scheduler, interval, collect.options)
      case .byTimeOrCount(let scheduler, let interval, let count):
        self.count = count
        super.init(downstream, scheduler, interval, collect.options)
      }
    }

    override var description: String { "CollectByTime" }

    func receive(subscription: any Subscription) {
      guard start(subscription) else { return }
      restartTimer()
      introduce()
    }

    override var repeats: Bool { true }

    override func timeIsUp() { postArrays(ofAtLeast: 1) }

    override func afterTimeIsUp() { deliver() }

    override func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      super.request(demand)
      ask(count.map { demand * $0 } ?? .max(1))
      // What was full before there was demand.
      sendFull()
    }

    override func receive(more: Subscribers.Demand, after value: Output) {
      super.receive(more: more, after: value)
      guard let count, value.count == count else { return }
      ask(more * count)
      sendFull()
    }

    private func ask(_ demand: Subscribers.Demand) {
      lock.withLock { isOpen ? state.upstream : nil }?.request(demand)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      let collected = lock.withLock {
        if isOpen { buffer.append(input) }
        return buffer.count
      }
      guard let count else { return .max(1) }
      if collected % count == 0 { sendFull() }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard close() else { return }
      if case .failure = completion { release() }
      scheduler.schedule(options: options) {
        self.lock.withLock {
          self.postArrays(ofAtLeast: 1)
          self.post(.completion(completion))
        }
        self.deliver()
      }
    }

    /// Has the scheduler send what makes full arrays.
    private func sendFull() {
      guard let count, lock.withLock({ isOpen && state.demand > 0 && buffer.count >= count }) else {
        return
      }
      scheduler.schedule(options: options) {
        self.lock.withLock { if self.isOpen { self.postArrays(ofAtLeast: count) } }
        self.deliver()
      }
    }

    /// Takes arrays from the buffer while there is demand, with the lock held.
    private func postArrays(ofAtLeast least: Int) {
      while state.demand > 0, buffer.count >= least {
        state.demand -= 1
        post(.value(takeArray()))
      }
    }

    private func takeArray() -> Output {
      guard let count, buffer.count > count else {
        defer { buffer = [] }
        return buffer
      }
      defer { buffer.removeFirst(count) }
      return Array(buffer.prefix(count))
    }

    override func release() {
      var old: Output = []
      lock.withLock { swap(&buffer, &old) }
      old.letGo()
    }
  }
}
