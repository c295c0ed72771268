public import Synchronization

extension Publisher {
  /// Subscribes, requests and cancels on `scheduler`.
  ///
  ///     source                    --1--2--|
  ///     subscribe(on: delaying)   ----1--2--|
  ///
  /// Values and the end come wherever the upstream sends them. Nothing comes after a cancellation,
  /// which the upstream hears of later.
  @inlinable
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
    @inlinable
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Has the scheduler attach `subscriber` to the upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (upstream, scheduler, options) = (upstream, scheduler, options)
      let inner = Inner(subscriber) { scheduler.schedule(options: options, $0) }
      inner.schedule { upstream.subscribe(inner) }
    }
  }
}

extension Publishers.SubscribeOn {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let schedule: (@escaping () -> Void) -> Void
    /// Set by a cancellation, of which the upstream hears later.
    @usableFromInline let isCancelled = Atomic<Bool>(false)

    @inlinable @inline(__always)
    init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
      self.schedule = schedule
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
      }
    }

    @usableFromInline
    override var description: String { "SubscribeOn" }

    /// The upstream says whether a request for nothing traps.
    @usableFromInline
    override var _takesNone: Bool { true }

    @inlinable
    func receive(subscription: any Subscription) { introduce(with: subscription) }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      guard isOpen, uses.begin() else { return .none }
      defer { endUse() }
      return send(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if isOpen { pass(completion) }
    }

    @inlinable
    func ask(_ demand: Subscribers.Demand) {
      guard isOpen else { return }
      schedule { self.askUpstream(demand) }  // which traps if it is for nothing
    }

    @inlinable
    func stop() {
      guard uses.hasUpstream else { return }
      let isFirst = !isCancelled.exchange(true, ordering: .acquiringAndReleasing)
      if isFirst { schedule { self.close() } }
    }

    @inlinable @inline(__always)
    var isOpen: Bool { uses.hasUpstream && !isCancelled.load(ordering: .acquiring) }
  }
}
