extension Publisher {
  /// Ends when no value has come for `interval`.
  ///
  ///     source         -1-2---------3-|
  ///     timeout(4)     -1-2---|
  ///
  /// The wait begins with the subscription, and again with the first request and each value. When
  /// it is over the upstream is cancelled, and the downstream is sent `customError`, or the end if
  /// there is none. Everything comes on `scheduler`, in order; demand passes through at once. A
  /// scheduler for which nothing is later (`ImmediateScheduler`) traps.
  @inlinable
  public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self,
      interval: interval,
      scheduler: scheduler,
      options: options,
      customError: customError
    )
  }
}

extension Publishers {
  /// See `timeout(_:scheduler:options:customError:)`.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are waited for.
    public let upstream: Upstream
    /// How long the wait for a value is.
    public let interval: Context.SchedulerTimeType.Stride
    /// What keeps the time, and where values and the end come.
    public let scheduler: Context
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?
    /// Makes the failure when the time is over, on the scheduler; without it the end is `finished`.
    public let customError: (() -> Failure)?

    /// Creates a publisher that ends when `upstream` has not published a value for `interval`.
    @inlinable
    public init(
      upstream: Upstream,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context,
      options: Context.SchedulerOptions?,
      customError: (() -> Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    /// Attaches `subscriber`; traps if the scheduler is an `ImmediateScheduler`, which cannot wait.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      precondition(!(scheduler is ImmediateScheduler), "timeout needs a scheduler that can wait")
      let rules = Rules<S>(customError)
      let timed = TimedSubscription(subscriber, rules, false, scheduler, interval, options)
      upstream.receive(subscriber: timed)
    }
  }
}

extension Publishers.Timeout {
  @frozen
  @usableFromInline
  struct Rules<Downstream: Subscriber>: DelayingRules
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output
    @usableFromInline typealias Clock = Context

    /// Whether anything has been requested.
    @usableFromInline typealias Kept = Bool

    @usableFromInline let customError: (() -> Failure)?

    @inlinable
    init(_ customError: (() -> Failure)?) { self.customError = customError }

    @inlinable static var name: StaticString { "Timeout" }

    @inlinable
    static func begin(_ host: Host, _ subscription: any Subscription) {
      host.restartTimer()
      host.introduce()
    }

    @inlinable
    static func ask(_ demand: Subscribers.Demand, _ host: Host) {
      let (isOpen, isFirst) = host.lock.withLock {
        guard host.isOpen else { return (false, false) }
        defer { host.kept = true }
        return (true, !host.kept)
      }
      if isFirst { host.restartTimer() }
      // It is for the upstream to say that a demand of 0 is none.
      if isOpen { host.askUpstream(demand) }
    }

    @inlinable
    static func ask(_ demand: Subscribers.Demand, with value: Input, _ host: Host) {
      if host.lock.withLock({ host.isOpen }) { host.askUpstream(demand) }
    }

    @inlinable @inline(__always)
    static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
      if host.restartTimer({ host.enqueue(.value(input)) }) { host.scheduleLine() }
      return .none
    }

    @inlinable
    static func take(_ completion: Subscribers.Completion<Failure>, _ host: Host) {
      host.lock.withLock { host.enqueue(.completion(completion)) }
      host.scheduleLine()
    }

    @inlinable
    static func timeIsUp(_ host: Host) { host.state.isEnding = true }

    /// What waits for the scheduler is still sent before the end.
    @inlinable
    static func afterTimeIsUp(_ host: Host) {
      host.cancelUpstream()
      let error = host.rules.customError.map { $0() }
      let completion = error.map { Subscribers.Completion.failure($0) } ?? .finished
      host.lock.withLock { host.post(.completion(completion)) }
      host.deliver()
    }
  }
}
