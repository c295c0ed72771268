extension Publisher {
  /// Publishes values in arrays, each what came in a span of time.
  ///
  ///     source                 -1-2--3---|
  ///     collect(.byTime(4))    ----[1,2]---[3]-|
  ///
  /// The time runs from the subscription on; arrays and the end come on the strategy's scheduler.
  /// Nothing is sent for a span without values. With `.byTimeOrCount` an array is also sent when
  /// it holds so many values, which does not restart the time. What is collected while there is no
  /// demand waits for a later span. When the upstream finishes, the rest is sent as soon as there is
  /// demand, and the end comes after it; a failure discards the rest.
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

  /// As `collect(_:options:)`, and never requests more values than it can hold.
  ///
  /// At most `limit` values are collected, requested, or in arrays that are about to be sent. It is
  /// at least the count of `strategy`.
  @inlinable
  @_disfavoredOverload
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>,
    options: S.SchedulerOptions? = nil,
    holdingAtMost limit: Int
  ) -> Publishers.CollectByTime<Self, S> {
    var collect = collect(strategy, options: options)
    collect.limit = limit
    return collect
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
    /// The most values that are held or requested.
    @usableFromInline var limit = Int.max

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
      precondition(limit >= count ?? 1, "the limit is \(limit), expected \(count ?? 1) or more")
      let rules = Rules<S>(count, limit)
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
      /// The upstream's end, until what was collected before it is on its way.
      @usableFromInline var completion: Subscribers.Completion<Failure>?

      @inlinable init() {}
    }

    @usableFromInline let count: Int?
    @usableFromInline let limit: Int

    @inlinable
    init(_ count: Int?, _ limit: Int) {
      self.count = count
      self.limit = limit
    }

    @inlinable static var name: StaticString { "CollectByTime" }
    @inlinable static var takesNone: Bool { false }
    @inlinable static var repeats: Bool { true }

    @inlinable
    static func begin(_ host: Host, _ subscription: any Subscription) {
      host.restartTimer()
      host.introduce()
      requestMore(host)
    }

    @inlinable
    static func timeIsUp(_ host: Host) { postArrays(ofAtLeast: 1, host) }

    @inlinable
    static func afterTimeIsUp(_ host: Host) { deliver(host) }

    @inlinable
    static func ask(_ demand: Subscribers.Demand, _ host: Host) {
      host.lock.withLock { host.state.demand += demand }
      requestMore(host)
      // What was full, or the rest, before there was demand.
      sendFull(host)
    }

    /// Sends what is due, and requests the values that there is room for then.
    @inlinable
    static func deliver(_ host: Host) {
      host.deliver()
      requestMore(host)
    }

    @inlinable
    static func requestMore(_ host: Host) {
      let request = host.lock.withLock { takeRequest(host) }
      if request > 0 { host.askUpstream(Subscribers.Demand(_count: request)) }
    }

    /// Returns how many values to request now, and counts them as requested; needs the lock.
    @inlinable
    static func takeRequest(_ host: Host) -> Int {
      let (collected, requested) = (host.kept.values.count, host.kept.requested)
      guard host.isOpen, host.state.demand > 0, requested != .max else { return 0 }
      var room = host.rules.count.map { (host.state.demand * $0)._count } ?? collected + 1
      if host.rules.limit != .max {
        room = Swift.min(room, host.rules.limit - countPosted(host))
      }
      let expected = addDemand(collected, requested)
      guard room > expected else { return 0 }
      let request = room == .max ? .max : room - expected
      host.kept.requested = addDemand(requested, request)
      return request
    }

    /// Returns how many values are in arrays that are about to be sent; needs the lock.
    @inlinable
    static func countPosted(_ host: Host) -> Int {
      var sum = 0
      for index in 0..<host.state.signals.count {
        if case .value(let array) = host.state.signals[index] { sum += array.count }
      }
      return sum
    }

    @inlinable @inline(__always)
    static func take(_ input: Input, _ host: Host) -> Subscribers.Demand {
      let (isFull, more): (Bool, Int) = host.lock.withLock {
        guard host.isOpen else { return (false, 0) }
        host.kept.values.append(input)
        if host.kept.requested != .max, host.kept.requested > 0 { host.kept.requested -= 1 }
        guard let count = host.rules.count else { return (false, takeRequest(host)) }
        return (host.kept.values.count % count == 0, 0)
      }
      if isFull { sendFull(host) }
      return Subscribers.Demand(_count: more)
    }

    @inlinable
    static func take(_ completion: Subscribers.Completion<Failure>, _ host: Host) {
      if case .failure = completion { release(host) }
      host.scheduler.schedule(options: host.options) {
        host.lock.withLock {
          host.kept.completion = completion
          postRest(host)
        }
        host.deliver()
      }
    }

    /// Has the scheduler send what makes full arrays, or the rest after the upstream's end.
    @inlinable
    static func sendFull(_ host: Host) {
      let isDue = host.lock.withLock {
        guard host.state.demand > 0 else { return false }
        if host.kept.completion != nil { return true }
        return host.isOpen && host.kept.values.count >= host.rules.count ?? .max
      }
      if isDue { host.scheduleLine() }
    }

    @inlinable
    static func lineIsDue(_ host: Host) {
      host.lock.withLock {
        if host.kept.completion != nil {
          postRest(host)
        } else if host.isOpen, let count = host.rules.count {
          postArrays(ofAtLeast: count, host)
        }
      }
      deliver(host)
    }

    /// Posts what there is demand for after the upstream's end, and the end after the last array;
    /// needs the lock.
    @inlinable
    static func postRest(_ host: Host) {
      postArrays(ofAtLeast: 1, host)
      guard host.kept.values.isEmpty, let completion = host.kept.completion.take() else { return }
      host.post(.completion(completion))
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
