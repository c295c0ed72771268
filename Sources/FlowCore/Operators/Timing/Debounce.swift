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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let rules = Rules<S>(onDrop)
      let timed = TimedSubscription(subscriber, rules, .init(), scheduler, dueTime, options)
      upstream.receive(subscriber: timed)
    }
  }
}

extension Publishers.Debounce {
  @frozen
  @usableFromInline
  struct Rules<Downstream: Subscriber>: TimedRules
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output
    @usableFromInline typealias Clock = Context

    @usableFromInline let onDrop: ((Input) -> Void)?

    @usableFromInline
    struct Kept {
      /// The last value.
      @usableFromInline var held: Input?
      /// Values that became due without demand, to be passed to `onDrop`.
      @usableFromInline var lost: [Input] = []

      @inlinable init() {}
    }

    @inlinable
    init(_ onDrop: ((Input) -> Void)?) { self.onDrop = onDrop }

    @inlinable static var name: StaticString { "Debounce" }
    @inlinable static var takesNone: Bool { false }

    @usableFromInline
    static func children(_ host: Host) -> [Mirror.Child] {
      let isThere = host.uses.begin()
      defer { if isThere { host.endUse() } }
      let downstream = isThere ? host.downstream : nil
      let (demand, held) = host.lock.withLock { (host.state.demand, host.kept.held) }
      return [
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("downstreamDemand", demand),
        ("currentValue", held as Any),
      ]
    }

    @inlinable
    static func begin(_ host: Host, _ subscription: any Subscription) {
      host.introduce()
      host.askUpstream(.unlimited)
    }

    @inlinable @inline(__always)
    static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
      var value: Input? = input
      host.restartTimer { swap(&host.kept.held, &value) }
      return .none
    }

    @inlinable
    static func timeIsUp(_ host: Host) {
      // Without demand it stays until the next one, unsent.
      guard host.state.demand > 0, let value = host.kept.held.take() else {
        if host.rules.onDrop != nil, let value = host.kept.held { host.kept.lost.append(value) }
        return
      }
      host.state.demand -= 1
      host.post(.value(value))
    }

    @inlinable
    static func afterTimeIsUp(_ host: Host) {
      if let onDrop = host.rules.onDrop {
        var lost: [Input] = []
        host.lock.withLock { swap(&host.kept.lost, &lost) }
        lost.forEach(onDrop)
      }
      host.deliver()
    }

    @inlinable
    static func take(_ completion: Subscribers.Completion<Failure>, _ host: Host) {
      release(host)
      host.scheduler.schedule {
        host.lock.withLock { host.post(.completion(completion)) }
        host.deliver()
      }
    }

    @inlinable
    static func release(_ host: Host) {
      var old: Input?
      host.lock.withLock { swap(&host.kept.held, &old) }
    }
  }
}
