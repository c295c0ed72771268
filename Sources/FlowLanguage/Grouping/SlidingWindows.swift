import FlowCore

/// The values of the last `length` as an array, every `interval` from the subscription on.
///
/// Its upstream is asked for one value at a time, and for none while it holds as many as it may. A
/// window for which there is no demand is dropped.
struct TimedSlidingWindows: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  /// In nanoseconds.
  let length: Int
  let interval: Int
  let context: any PipelineContext
  let counter: StageCounter?
  let dropped: (Int, DropReason) -> Void

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(TimedSlidingSubscriber(AnySubscriber(subscriber), self))
  }
}

/// Used where the clock runs, as all of a running pipeline is.
private final class TimedSlidingSubscriber: Subscriber, Subscription {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private var downstream: AnySubscriber<Value, PipelineFailure>?
  private let windows: TimedSlidingWindows
  private let held: HeldValues
  private let work: Work
  private var upstream: _HeldSubscription?
  private var demand = Subscribers.Demand.none
  private var values = Fifo<(time: Int64, value: Value)>()
  private var timer: (any Cancellable)?
  /// Whether a value has come since the last window.
  private var isNew = false
  /// Whether the upstream is not asked since there is no more room.
  private var isFull = false
  /// Whether a window waits for its turn.
  private var isLate = false
  /// Whether the last window waits for demand, and the end behind it.
  private var isFinishing = false

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ windows: TimedSlidingWindows) {
    self.downstream = downstream
    self.windows = windows
    work = windows.context.work
    held = HeldValues(
      of: "window",
      in: windows.context.memoryBudget,
      counter: windows.counter
    )
  }

  private var now: Int64 { windows.context.clock.now.nanoseconds }

  // MARK: The upstream

  func receive(subscription: any Subscription) {
    guard upstream == nil, let downstream else { return subscription.cancel() }
    upstream = subscription._held
    downstream.receive(subscription: self)
    guard self.downstream != nil else { return }
    let clock = windows.context.clock
    let stride = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(windows.interval)
    timer = clock.schedule(after: clock.now.advanced(by: stride), interval: stride) { [weak self] in
      self?.timeIsUp()
    }
    subscription.request(.max(1))
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard downstream != nil, upstream != nil else { return .none }
    dropOld()
    do throws(PipelineFailure) {
      try held.enter(input)
    } catch {
      let old = upstream
      end(.failure(error))
      old?.cancel()
      return .none
    }
    values.append((now, input))
    isNew = true
    isFull = values.count >= Compiler.mostHeld
    return isFull ? .none : .max(1)
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    upstream = nil
    guard case .finished = completion, isNew else { return end(completion) }
    timer?.cancel()
    timer = nil
    isFinishing = true
    if demand > .none { finish() }
  }

  // MARK: The windows

  private func timeIsUp() {
    guard !isLate else { return windows.dropped(1, .noDemand) }
    guard work.hasToWait else { return publish() }
    isLate = true
    work.wait { [weak self] in
      self?.isLate = false
      self?.publish()
    }
  }

  private func publish() {
    guard let downstream, !isFinishing else { return }
    isNew = false
    dropOld()
    if demand > .none {
      demand -= 1
      demand += downstream.receive(window())
    } else {
      windows.dropped(1, .noDemand)
    }
    guard isFull, values.count < Compiler.mostHeld, let upstream else { return }
    isFull = false
    upstream.request(.max(1))
  }

  /// The window at the end, and the end.
  private func finish() {
    isFinishing = false
    dropOld()
    demand -= 1
    _ = downstream?.receive(window())
    end(.finished)
  }

  private func window() -> Value {
    work.charge(Price.collecting(values.count))
    return .array(JSONArray(values.elements.map(\.value)))
  }

  private func dropOld() {
    let now = now
    while let first = values.first, now - first.time >= Int64(windows.length) {
      _ = values.popFirst()
      held.leave(first.value)
    }
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    let old = downstream
    letGo()
    old?.receive(completion: completion)
  }

  private func letGo() {
    downstream = nil
    upstream = nil
    timer?.cancel()
    timer = nil
    values.takeAll().letGo()
    held.clear()
  }

  // MARK: The downstream

  func request(_ demand: Subscribers.Demand) {
    guard downstream != nil else { return }
    self.demand += demand
    if isFinishing { finish() }
  }

  func cancel() {
    let old = upstream
    letGo()
    old?.cancel()
  }
}
