extension Publisher {
  /// Subscribes, requests and cancels on `scheduler`.
  ///
  ///     source                    --1--2--|
  ///     subscribe(on: delaying)   ----1--2--|
  ///
  /// Values and the end come wherever the upstream sends them. Nothing comes after a cancellation,
  /// which the upstream hears of later.
  public func subscribe<S: Scheduler>(
    on scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// See `subscribe(on:options:)`.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to on the scheduler.
    public let upstream: Upstream
    /// Where subscribing, requests and cancellations are done.
    public let scheduler: Context
    /// What the scheduler is given with each action.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that subscribes to `upstream`, asks it and cancels it on `scheduler`.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Has the scheduler attach `subscriber` to the upstream.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let (upstream, scheduler, options) = (upstream, scheduler, options)
      let inner = Inner(subscriber) { scheduler.schedule(options: options, $0) }
      inner.schedule { upstream.subscribe(inner) }
    }
  }
}

extension Publishers.SubscribeOn {
  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let schedule: (@escaping () -> Void) -> Void
    private let lock = Lock()
    // The lock guards these.
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var isCancelled = false

    init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
      self.downstream = downstream
      self.schedule = schedule
    }

    var description: String { "SubscribeOn" }

    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard upstream == nil, let downstream = self.downstream else { return nil }
        upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      let downstream = lock.withLock { isOpen ? self.downstream : nil }
      return downstream?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Upstream.Failure>) {
      guard lock.withLock({ isOpen }) else { return }
      end().downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard let upstream = lock.withLock({ isOpen ? upstream : nil }) else { return }
      schedule { upstream.request(demand) }  // which traps if it is for nothing
    }

    func cancel() {
      let isFirst = lock.withLock {
        guard isOpen else { return false }
        isCancelled = true
        return true
      }
      if isFirst { schedule { self.end().upstream?.cancel() } }
    }

    /// Asked with the lock held.
    private var isOpen: Bool { upstream != nil && !isCancelled }

    private func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
      lock.withLock {
        defer {
          upstream = nil
          downstream = nil
        }
        return (upstream, downstream)
      }
    }
  }
}
