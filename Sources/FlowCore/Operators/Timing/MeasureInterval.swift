extension Publisher {
  /// Publishes how much time went by before each value, on a scheduler's clock.
  ///
  ///     source                             --a---b-----|
  ///     measureInterval(using: seconds)    --2---4-----|
  ///
  /// The first interval begins with the subscription. Demand and completion pass through; nothing
  /// is scheduled, so that `options` play no part.
  @inlinable
  public func measureInterval<S: Scheduler>(
    using scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
  }
}

extension Publishers {
  /// See `measureInterval(using:options:)`.
  public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// Lengths of time on the scheduler's clock.
    public typealias Output = Context.SchedulerTimeType.Stride
    public typealias Failure = Upstream.Failure

    /// The publisher whose values end an interval.
    public let upstream: Upstream
    /// What tells the time.
    public let scheduler: Context

    /// Creates a publisher of the time between each two values of `upstream`.
    @inlinable
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, scheduler))
    }
  }
}

extension Publishers.MeasureInterval {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline typealias Input = Upstream.Output

    @usableFromInline let scheduler: Context
    /// When the last value came; touched only by the upstream's signals (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var last: Context.SchedulerTimeType?

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ scheduler: Context) {
      self.scheduler = scheduler
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count >= 0 {
          me.askUpstream(Subscribers.Demand(_count: count))
        } else if me.uses.hasStarted {
          me.close()
        }
      }
    }

    @usableFromInline
    override var description: String { "MeasureInterval" }

    /// The upstream says whether a request for nothing traps.
    @usableFromInline
    override var _takesNone: Bool { true }

    @inlinable
    func receive(subscription: any Subscription) {
      guard keep(subscription), uses.begin() else { return subscription.cancel() }
      last = scheduler.now
      withBorrowed(&downstream) { $0.receive(subscription: self) }
      endUse()
    }

    @inlinable @inline(__always)
    func receive(_ input: Input) -> Subscribers.Demand {
      guard uses.hasUpstream, uses.begin() else { return .none }
      defer { endUse() }
      let now = scheduler.now
      let interval = (last ?? now).distance(to: now)
      last = now
      let more = send(interval)
      if more > 0 { askUpstream(more) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if uses.hasUpstream { pass(completion) }
    }
  }
}
