import FlowCore

/// Counts the ticks of the context's clock from the subscription on; without demand they drop.
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
      timer = clock.schedule(after: clock.now.advanced(by: interval), interval: interval) {
        self.tick()
      }
    }

    private func tick() {
      guard let downstream else { return }
      ticks += 1
      guard demand > .none else {
        context.counters?.missed(1)
        return context.dropped(1, .noDemand)
      }
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
