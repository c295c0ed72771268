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
  /// While the downstream has asked for an array, `.byTime` requests one value at a time; the array
  /// has no bound. `.byTimeOrCount` requests as many values as the requested arrays can hold, less
  /// those already collected or requested.
  @inlinable
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
    @inlinable
    public init(
      upstream: Upstream,
      strategy: TimeGroupingStrategy<Context>,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let (scheduler, interval, count) =
        switch strategy {
        case .byTime(let scheduler, let interval): (scheduler, interval, nil as Int?)
        case .byTimeOrCount(let scheduler, let interval, let count): (scheduler, interval, count)
        }
      if let count { precondition(count > 0, "count is \(count), expected 1 or more") }
      let rules = Rules<S>(count)
      let timed = TimedSubscription(subscriber, rules, .init(), scheduler, interval, options)
      upstream.receive(subscriber: timed)
    }
  }
}

extension Publishers.CollectByTime {
  @frozen
  @usableFromInline
  struct Rules<Downstream: Subscriber>: TimedRules
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output
    @usableFromInline typealias Clock = Context

    @usableFromInline
    struct Kept {
      /// The collected values.
      @usableFromInline var values: Output = []
      /// How many requested values have not come yet.
      @usableFromInline var requested = 0

      @inlinable init() {}
    }

    @usableFromInline let count: Int?

    @inlinable
    init(_ count: Int?) { self.count = count }

    @inlinable static var name: StaticString { "CollectByTime" }
    @inlinable static var takesNone: Bool { false }
    @inlinable static var repeats: Bool { true }

    @inlinable
    static func begin(_ host: Host, _ subscription: any Subscription) {
      host.restartTimer()
      host.introduce()
    }

    @inlinable
    static func timeIsUp(_ host: Host) { postArrays(ofAtLeast: 1, host) }

    @inlinable
    static func afterTimeIsUp(_ host: Host) { host.deliver() }

    @inlinable
    static func ask(_ demand: Subscribers.Demand, _ host: Host) {
      let request = host.lock.withLock {
        host.state.demand += demand
        return takeRequest(host)
      }
      if request > 0 { host.askUpstream(Subscribers.Demand(_count: request)) }
      // What was full before there was demand.
      sendFull(host)
    }

    /// Returns how many values to request now, and counts them as requested; needs the lock.
    @inlinable
    static func takeRequest(_ host: Host) -> Int {
      guard host.isOpen, host.kept.requested != .max else { return 0 }
      let room = host.rules.count.map { (host.state.demand * $0)._count } ?? 1
      let expected = host.kept.requested + (host.rules.count == nil ? 0 : host.kept.values.count)
      guard room > expected else { return 0 }
      let request = room == .max ? .max : room - expected
      host.kept.requested = addDemand(host.kept.requested, request)
      return request
    }

    @inlinable @inline(__always)
    static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
      let (collected, more): (Int, Subscribers.Demand) = host.lock.withLock {
        if host.isOpen { host.kept.values.append(input) }
        if host.rules.count == nil, host.state.demand > 0 { return (0, .max(1)) }
        if host.kept.requested != .max, host.kept.requested > 0 { host.kept.requested -= 1 }
        return (host.kept.values.count, .none)
      }
      if let count = host.rules.count, collected % count == 0 { sendFull(host) }
      return more
    }

    @inlinable
    static func take(_ completion: Subscribers.Completion<Failure>, _ host: Host) {
      if case .failure = completion { release(host) }
      host.scheduler.schedule(options: host.options) {
        host.lock.withLock {
          postArrays(ofAtLeast: 1, host)
          host.post(.completion(completion))
        }
        host.deliver()
      }
    }

    /// Has the scheduler send what makes full arrays.
    @inlinable
    static func sendFull(_ host: Host) {
      guard let count = host.rules.count,
        host.lock.withLock({
          host.isOpen && host.state.demand > 0 && host.kept.values.count >= count
        })
      else { return }
      host.scheduleLine()
    }

    @inlinable
    static func lineIsDue(_ host: Host) {
      guard let count = host.rules.count else { return }
      host.lock.withLock { if host.isOpen { postArrays(ofAtLeast: count, host) } }
      host.deliver()
    }

    /// Takes arrays from the buffer while there is demand, with the lock held.
    @inlinable
    static func postArrays(ofAtLeast least: Int, _ host: Host) {
      while host.state.demand > 0, host.kept.values.count >= least {
        host.state.demand -= 1
        host.post(.value(takeArray(host)))
      }
    }

    @inlinable
    static func takeArray(_ host: Host) -> Output {
      guard let count = host.rules.count, host.kept.values.count > count else {
        defer { host.kept.values = [] }
        return host.kept.values
      }
      defer { host.kept.values.removeFirst(count) }
      return Array(host.kept.values.prefix(count))
    }

    @inlinable
    static func release(_ host: Host) {
      var old: Output = []
      host.lock.withLock { swap(&host.kept.values, &old) }
      old.letGo()
    }
  }
}
