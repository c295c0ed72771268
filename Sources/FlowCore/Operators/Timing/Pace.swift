extension Publisher {
  /// Lets at most `count` values pass in any `interval`, by asking for no more than that.
  ///
  ///     source             123456789|
  ///     pace(2, per: 3)    12-34-56-78-9|
  ///
  /// Nothing is dropped and nothing held: the upstream is asked for a value only if that may pass as
  /// soon as it comes, so it is the source that waits. At most `count` values are asked for at a
  /// time; what is asked for and has not come yet counts. A value of a source that does not wait for
  /// demand is missed there. Values come as they do from the upstream, and the end at once; only
  /// requests come on `scheduler`.
  ///
  /// - Parameters:
  ///   - count: the most values in an interval, 1 or more.
  ///   - interval: the length of the interval, more than nothing.
  ///   - scheduler: what tells the time, and wakes it when it may ask again.
  /// - Returns: a publisher of the values, at that rate.
  @inlinable
  @_disfavoredOverload
  public func pace<S: Scheduler>(
    _ count: Int,
    per interval: S.SchedulerTimeType.Stride,
    scheduler: S
  ) -> Publishers.Pace<Self, S> {
    Publishers.Pace(upstream: self, count: count, interval: interval, scheduler: scheduler)
  }
}

extension Publishers {
  /// See `pace(_:per:scheduler:)`.
  public struct Pace<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that is asked for no more than may pass.
    public let upstream: Upstream
    /// The most values in an interval.
    public let count: Int
    /// The length of the interval.
    public let interval: Context.SchedulerTimeType.Stride
    /// What tells the time.
    public let scheduler: Context

    /// Creates a publisher of the values of `upstream`, at most `count` of them in any `interval`.
    @inlinable
    public init(
      upstream: Upstream,
      count: Int,
      interval: Context.SchedulerTimeType.Stride,
      scheduler: Context
    ) {
      precondition(count > 0, "count is \(count), expected 1 or more")
      precondition(interval > 0, "the interval must be longer than nothing")
      self.upstream = upstream
      self.count = count
      self.interval = interval
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.Pace {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output

    @usableFromInline let interval: Context.SchedulerTimeType.Stride
    @usableFromInline let scheduler: Context
    @usableFromInline let lock = Lock()
    // The lock guards these (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var state: State
    @safe @exclusivity(unchecked) @usableFromInline var timer: _Timer?

    @usableFromInline typealias State = PaceState<Context.SchedulerTimeType>

    @inlinable
    init(_ downstream: Downstream, _ pace: Publishers.Pace<Upstream, Context>) {
      interval = pace.interval
      scheduler = pace.scheduler
      state = State(pace.count)
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count > 0 { me.ask(for: count) } else { me.close() }
      }
    }

    @usableFromInline
    override var description: String { "Pace" }

    @inlinable
    func receive(subscription: any Subscription) { introduce(with: subscription) }

    /// Asks the upstream for as much of `count` and of what waits as may pass.
    @inlinable
    func ask(for count: Int) {
      let now = lock.withLock { state.want(count) }
      if now > 0 { askUpstream(Subscribers.Demand(_count: now)) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard uses.hasUpstream, uses.begin() else { return .none }
      defer { endUse() }
      let due = scheduler.now.advanced(by: interval)
      if lock.withLock({ state.pass(until: due, interval) }) { wake(at: due) }
      let more = send(input)
      let now = more > 0 ? lock.withLock { state.want(more._count) } : 0
      return Subscribers.Demand(_count: now)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if uses.hasUpstream { pass(completion) }
    }

    /// Has itself woken; from inside a use.
    @inlinable
    func wake(at due: Context.SchedulerTimeType) {
      var timer: _Timer? = scheduler._startTimer(
        after: due,
        interval: interval,
        tolerance: scheduler.minimumTolerance,
        options: nil
      ) { [weak self] in
        self?.timeHasPassed()
      }
      lock.withLock { swap(&self.timer, &timer) }
      timer?.cancel()
    }

    @inlinable
    func timeHasPassed() {
      guard uses.begin() else { return }
      defer { endUse() }
      let time = scheduler.now
      var old: _Timer?
      let (count, next) = lock.withLock {
        swap(&timer, &old)
        return state.free(at: time)
      }
      old?.cancel()
      if let next { wake(at: next) }
      if count > 0 { askUpstream(Subscribers.Demand(_count: count)) }
    }

    @usableFromInline
    override func release() {
      var old: _Timer?
      lock.withLock { swap(&timer, &old) }
      old?.cancel()
      super.release()
    }
  }
}

/// How many values may be asked for, and when there may be more.
@usableFromInline
struct PaceState<Time: Strideable> {
  /// Values that may pass now and have not been asked for.
  private var free: Int
  /// What has been asked for and not come yet.
  private var asked = 0
  /// What has been requested and not been asked for yet.
  private var wanted = 0
  /// The values that have passed, first those that count the shortest.
  private var passed: [Run] = []
  private var isTimed = false

  /// Values that have passed at about one time: one entry, so that there are never many.
  private struct Run {
    let first: Time
    /// When they count no more.
    var due: Time
    var count: Int
  }

  @usableFromInline
  init(_ count: Int) { free = count }

  /// So many more are requested; returns how many to ask for.
  @usableFromInline
  mutating func want(_ count: Int) -> Int {
    wanted = addDemand(wanted, count)
    return take()
  }

  /// A value passes, which counts until `due`; true if it is to be woken then.
  @usableFromInline
  mutating func pass(until due: Time, _ interval: Time.Stride) -> Bool {
    guard asked > 0 else { return false }
    asked -= 1
    if let last = passed.indices.last, passed[last].first.isNear(due, in: interval) {
      passed[last].due = Swift.max(passed[last].due, due)
      passed[last].count += 1
    } else {
      passed.append(Run(first: due, due: due, count: 1))
    }
    defer { isTimed = true }
    return !isTimed
  }

  /// Lets go of what counts no more; returns how many to ask for, and when to be woken again.
  @usableFromInline
  mutating func free(at now: Time) -> (count: Int, next: Time?) {
    let over = passed.prefix { $0.due <= now }
    for run in over { free = addDemand(free, run.count) }
    passed.removeFirst(over.count)
    isTimed = !passed.isEmpty
    return (take(), passed.first?.due)
  }

  private mutating func take() -> Int {
    let count = min(free, wanted)
    free -= count
    asked += count
    if wanted != .max { wanted -= count }
    return count
  }
}

extension Strideable {
  /// Whether it is before `other` by less than a 128th of `interval`.
  fileprivate func isNear(_ other: Self, in interval: Stride) -> Bool {
    var distance = distance(to: other)
    if distance < 0 { return true }
    for _ in 0..<7 {
      if distance >= interval - distance { return false }
      distance += distance
    }
    return true
  }
}
