import FlowCore

/// Counts the ticks of the context's clock from the subscription on; without demand they drop, and
/// so do those that a clock that is late leaves out.
struct Ticks: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  /// The least time between two ticks, in nanoseconds.
  static let shortest = 1_000_000

  let interval: VirtualTimeScheduler.SchedulerTimeType.Stride
  let context: any PipelineContext

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let ticking = Ticking(subscriber, context)
    subscriber.receive(subscription: ticking)
    ticking.start(every: interval)
  }

  /// Used where the clock runs, as all of a running pipeline is.
  private final class Ticking<Downstream: Subscriber>: Subscription
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private var downstream: Downstream?
    private let context: any PipelineContext
    private var demand = Subscribers.Demand.none
    private var ticks = 0
    private var timer: (any Cancellable)?

    init(_ downstream: Downstream, _ context: any PipelineContext) {
      self.downstream = downstream
      self.context = context
    }

    func start(every interval: VirtualTimeScheduler.SchedulerTimeType.Stride) {
      guard downstream != nil else { return }
      let clock = context.clock
      let start = clock.now
      timer = clock.schedule(after: start.advanced(by: interval), interval: interval) {
        let elapsed = start.distance(to: clock.now)
        self.tick(Int(elapsed.nanoseconds / interval.nanoseconds))
      }
    }

    /// Counts up to `number`, which is the next one unless the clock is late.
    private func tick(_ number: Int) {
      guard let downstream else { return }
      let isWanted = demand > .none
      let dropped = number - ticks - (isWanted ? 1 : 0)
      ticks = number
      if dropped > 0 {
        context.counters?.missed(dropped)
        context.dropped(dropped, .noDemand)
      }
      guard isWanted else { return }
      demand -= 1
      demand += downstream.receive(.int(ticks))
    }

    func request(_ demand: Subscribers.Demand) {
      guard downstream != nil else { return }
      self.demand += demand
    }

    func cancel() {
      downstream = nil
      timer?.cancel()
      timer = nil
    }
  }
}
