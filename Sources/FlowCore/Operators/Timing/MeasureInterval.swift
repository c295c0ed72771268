extension Publisher {
  /// Publishes how much time went by before each value, on a scheduler's clock.
  ///
  ///     source                             --a---b-----|
  ///     measureInterval(using: seconds)    --2---4-----|
  ///
  /// The first interval begins with the subscription. Demand and completion pass through; nothing
  /// is scheduled, so that `options` play no part.
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
    public init(upstream: Upstream, scheduler: Context) {
      self.upstream = upstream
      self.scheduler = scheduler
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, scheduler))
    }
  }
}

extension Publishers.MeasureInterval {
  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    typealias Input = Upstream.Output

    private let scheduler: Context
    private let lock = Lock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    /// When the interval began.
    private var last: Context.SchedulerTimeType?

    init(_ downstream: Downstream, _ scheduler: Context) {
      self.downstream = downstream
      self.scheduler = scheduler
    }

    var description: String { "MeasureInterval" }

    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard upstream == nil, let downstream = self.downstream else { return nil }
        upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      let now = scheduler.now
      lock.withLock { last = now }
      downstream.receive(subscription: self)
    }

    /// Asks for more by a call, as Combine does, and returns no demand.
    func receive(_ input: Input) -> Subscribers.Demand {
      guard let (downstream, upstream) = both() else { return .none }
      let now = scheduler.now
      let last = lock.withLock {
        defer { self.last = now }
        return self.last ?? now
      }
      let more = downstream.receive(last.distance(to: now))
      if more > 0 { upstream.request(more) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      end()?.downstream.receive(completion: completion)
    }

    /// It is for the upstream to say that a demand of 0 is none.
    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

    func cancel() { end()?.upstream.cancel() }

    private func both() -> (downstream: Downstream, upstream: any Subscription)? {
      lock.withLock {
        guard let downstream, let upstream else { return nil }
        return (downstream, upstream)
      }
    }

    private func end() -> (downstream: Downstream, upstream: any Subscription)? {
      lock.withLock {
        guard let downstream, let upstream else { return nil }
        defer {
          self.downstream = nil
          self.upstream = nil
        }
        return (downstream, upstream)
      }
    }
  }
}
