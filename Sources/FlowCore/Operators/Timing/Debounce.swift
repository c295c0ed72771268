extension Publisher {
  /// Republishes a value when no other has come for a while.
  ///
  ///     source         -1--23----4-|
  ///     debounce(2)    ---1---3----|
  ///
  /// Values and the end come on `scheduler`. A value that is due while there is no demand is lost, and so is
  /// one that is not yet due when the upstream ends. The upstream is asked for everything.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// See `debounce(for:scheduler:options:)`.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let dueTime: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

    public init(
      upstream: Upstream,
      dueTime: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.Debounce {
  private final class Inner<Downstream: Subscriber>: TimedSubscription<Downstream, Context>,
    Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    /// The last value; the lock guards it.
    private var held: Input?

    init(_ downstream: Downstream, _ debounce: Publishers.Debounce<Upstream, Context>) {
      super.init(downstream, debounce.scheduler, debounce.dueTime, debounce.options)
    }

    override var description: String { "Debounce" }

    override var _children: [Mirror.Child] {
      let (downstream, demand, held) = lock.withLock { (self.downstream, self.demand, self.held) }
      return [
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("downstreamDemand", demand),
        ("currentValue", held as Any),
      ]
    }

    func receive(subscription: any Subscription) {
      guard start(subscription) else { return }
      introduce()
      lock.withLock { upstream }?.request(.unlimited)
    }

    override func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      super.request(demand)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      var value: Input? = input
      restartTimer { swap(&held, &value) }
      return .none
    }

    override func timeIsUp() {
      // Without demand it stays until the next one, unsent.
      guard demand > 0, let value = held.take() else { return }
      demand -= 1
      post(.value(value))
    }

    override func afterTimeIsUp() { deliver() }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard close() else { return }
      release()
      scheduler.schedule {
        self.lock.withLock { self.post(.completion(completion)) }
        self.deliver()
      }
    }

    override func release() {
      var old: Input?
      lock.withLock { swap(&held, &old) }
    }
  }
}
