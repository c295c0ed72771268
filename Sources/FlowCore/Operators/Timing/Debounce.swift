extension Publisher {
  /// Republishes a value when no other has come for `dueTime`.
  ///
  ///     source         -1--23----4-|
  ///     debounce(2)    ---1---3----|
  ///
  /// Values and the end come on `scheduler`. A value that is due while there is no demand is lost,
  /// and so is one that is not yet due when the upstream ends. The upstream is asked for
  /// everything.
  @inlinable
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }

  /// As `debounce(for:scheduler:options:)`, and calls `onDrop` with each value that is due while
  /// there is no demand.
  @_disfavoredOverload
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    onDrop: @escaping (Output) -> Void
  ) -> Publishers.Debounce<Self, S> {
    var debounce = debounce(for: dueTime, scheduler: scheduler, options: options)
    debounce.onDrop = onDrop
    return debounce
  }
}

extension Publishers {
  /// See `debounce(for:scheduler:options:)`.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values must be followed by a pause.
    public let upstream: Upstream
    /// How long the pause must be.
    public let dueTime: Context.SchedulerTimeType.Stride
    /// What keeps the time, and where values and the end come.
    public let scheduler: Context
    /// What the scheduler is given with each value; the end is scheduled without.
    public let options: Context.SchedulerOptions?
    @usableFromInline var onDrop: ((Output) -> Void)?

    /// Creates a publisher of the values of `upstream` after which none has come for `dueTime`.
    @inlinable
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

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.Debounce {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: TimedSubscription<Downstream, Context>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output
    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let onDrop: ((Input) -> Void)?
    // The lock guards this (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var values = Values()

    @usableFromInline
    struct Values {
      /// The last value.
      @usableFromInline var held: Input?
      /// The last value, if it was due while there was no demand.
      @usableFromInline var lost: Input?

      @inlinable init() {}
    }

    @inlinable
    init(_ downstream: Downstream, _ debounce: Publishers.Debounce<Upstream, Context>) {
      onDrop = debounce.onDrop
      super.init(downstream, debounce.scheduler, debounce.dueTime, debounce.options)
    }

    @usableFromInline
    override var description: String { "Debounce" }

    @usableFromInline
    override var _children: [Mirror.Child] {
      let (downstream, demand, held) = lock.withLock {
        (state.downstream, state.demand, values.held)
      }
      return [
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("downstreamDemand", demand),
        ("currentValue", held as Any),
      ]
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      guard start(subscription) else { return }
      introduce()
      lock.withLock { state.upstream }?.request(.unlimited)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      super.request(demand)
    }

    @inlinable @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
      var value: Input? = input
      restartTimer { swap(&values.held, &value) }
      return .none
    }

    @usableFromInline
    override func timeIsUp() {
      // Without demand it stays until the next one, unsent.
      guard state.demand > 0, let value = values.held.take() else {
        if onDrop != nil { values.lost = values.held }
        return
      }
      state.demand -= 1
      post(.value(value))
    }

    @usableFromInline
    override func afterTimeIsUp() {
      if let onDrop, let value = lock.withLock({ values.lost.take() }) { onDrop(value) }
      deliver()
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      guard close() else { return }
      release()
      scheduler.schedule {
        self.lock.withLock { self.post(.completion(completion)) }
        self.deliver()
      }
    }

    @usableFromInline
    override func release() {
      var old: Input?
      lock.withLock { swap(&values.held, &old) }
    }
  }
}
