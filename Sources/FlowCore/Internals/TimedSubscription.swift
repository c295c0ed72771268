import Dispatch

/// What the operators share that send when a scheduler says so.
///
/// Signals line up, and whoever finds nobody delivering delivers those that are due: one at a time
/// and in order, on a concurrent scheduler, too. There is one timer, of whose rounds the last one
/// counts.
@usableFromInline
class TimedSubscription<Downstream: Subscriber, Context: Scheduler>: Subscription, _SelfDescribing {
  @usableFromInline
  enum Signal {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }

  @usableFromInline final let scheduler: Context
  @usableFromInline final let interval: Context.SchedulerTimeType.Stride
  @usableFromInline final let options: Context.SchedulerOptions?
  /// Whether a timer that is put off goes on.
  @usableFromInline final let sparesTimers = Context.self is any TimerSparingScheduler.Type
  @usableFromInline final let lock = Lock()
  // The lock guards this (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var state: State

  @usableFromInline
  struct State {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var upstream: _HeldSubscription?
    @usableFromInline var demand = Subscribers.Demand.none
    /// Whether the end is decided on, so that the upstream is no longer listened to.
    @usableFromInline var isEnding = false
    @usableFromInline var hasStarted = false
    @usableFromInline var isDelivering = false
    @usableFromInline var signals = Fifo<Signal>()
    /// How many signals may be sent.
    @usableFromInline var due = 0
    @usableFromInline var timer: (any Cancellable)?
    @usableFromInline var timerRound = 0
    /// When the timer is due, if the scheduler is to be spared a new one for each value.
    @usableFromInline var postponed: Context.SchedulerTimeType?

    @inlinable
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable
  init(
    _ downstream: Downstream,
    _ scheduler: Context,
    _ interval: Context.SchedulerTimeType.Stride,
    _ options: Context.SchedulerOptions?
  ) {
    state = State(downstream)
    self.scheduler = scheduler
    self.interval = interval
    self.options = options
  }

  /// The operator's name, from a subclass.
  @usableFromInline
  var description: String { "" }

  @usableFromInline
  var _children: [Mirror.Child] { [] }

  /// Whether a cancellation counts that comes before there is an upstream.
  @usableFromInline
  var isCancellableEarly: Bool { false }

  /// Whether the upstream is listened to; asked with the lock held.
  @inlinable
  final var isOpen: Bool { state.hasStarted && !state.isEnding && state.downstream != nil }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { lock.withLock { state.demand += demand } }

  /// Called when the downstream asks for more as it takes a value.
  @usableFromInline
  func receive(more: Subscribers.Demand, after value: Downstream.Input) {
    lock.withLock { state.demand += more }
  }

  /// Whether the timer goes on when it has fired.
  @usableFromInline
  var repeats: Bool { false }

  /// What the timer does first, with the lock held.
  @usableFromInline
  func timeIsUp() {}

  /// What the timer does then.
  @usableFromInline
  func afterTimeIsUp() {}

  /// Lets go of what a subclass holds.
  @usableFromInline
  func release() {}

  @usableFromInline
  final func cancel() {
    guard lock.withLock({ state.hasStarted || isCancellableEarly }) else { return }
    end()?.cancel()
  }

  /// Ends it, and returns the upstream.
  private func end() -> _HeldSubscription? {
    var (oldDownstream, oldUpstream): (Downstream?, _HeldSubscription?) = (nil, nil)
    var oldTimer: (any Cancellable)?
    var oldSignals = Fifo<Signal>()
    lock.withLock {
      swap(&state.downstream, &oldDownstream)
      swap(&state.upstream, &oldUpstream)
      swap(&state.signals, &oldSignals)
      state.due = 0
      oldTimer = stopTimer()
    }
    oldTimer?.cancel()
    oldSignals.letGo()
    release()
    return oldUpstream
  }
}

extension TimedSubscription {
  /// Takes the upstream's subscription, or cancels it if it is not the first.
  ///
  /// From now on signals can be posted; none is sent before `introduce()`.
  @usableFromInline
  final func start(_ subscription: any Subscription) -> Bool {
    let isWanted = lock.withLock {
      guard !state.hasStarted, state.downstream != nil else { return false }
      state.hasStarted = true
      state.isDelivering = true
      state.upstream = subscription._held
      return true
    }
    if !isWanted { subscription.cancel() }
    return isWanted
  }

  /// Hands itself to the downstream.
  @usableFromInline
  final func introduce() {
    lock.withLock { state.downstream }?.receive(subscription: self)
    sendDue()
  }

  /// Puts a signal into the line, with the lock held; it goes after a call of `deliverOneMore()`.
  final func enqueue(_ signal: Signal) { state.signals.append(signal) }

  /// Puts a signal into the line that is due, with the lock held; without it `deliver()` follows.
  final func post(_ signal: Signal) {
    enqueue(signal)
    state.due += 1
  }

  /// Lets one more signal of the line go.
  final func deliverOneMore() {
    lock.withLock { state.due += 1 }
    deliver()
  }

  /// Sends what is due, unless somebody is already doing so.
  final func deliver() {
    let isMine = lock.withLock {
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    if isMine { sendDue() }
  }

  private func sendDue() {
    while true {
      let next: (Signal, Downstream)? = lock.withLock {
        guard state.due > 0, let downstream = state.downstream,
          let signal = state.signals.popFirst()
        else {
          state.isDelivering = false
          return nil
        }
        state.due -= 1
        return (signal, downstream)
      }
      switch next {
      case nil: return
      case (.value(let value), let downstream)?:
        let more = downstream.receive(value)
        if more > 0 { receive(more: more, after: value) }
      case (.completion(let completion), let downstream)?:
        _ = end()
        downstream.receive(completion: completion)
      }
    }
  }
}

extension TimedSubscription {
  /// Lets the time run anew, unless it is over.
  ///
  /// - Parameter change: what belongs to it; called with the lock held.
  /// - Returns: whether it did.
  @inlinable
  @discardableResult
  final func restartTimer(_ change: () -> Void = {}) -> Bool {
    guard lock.withLock({ isOpen }) else { return false }
    let date = scheduler.now.advanced(by: interval)
    var old: (any Cancellable)?
    let (wasOpen, round): (Bool, Int?) = lock.withLock {
      guard isOpen else { return (false, nil) }
      change()
      let isRunning = state.postponed != nil
      if !isRunning { old = stopTimer() }
      if sparesTimers { state.postponed = date }
      if isRunning { return (true, nil) }
      return (true, state.timerRound)
    }
    old?.cancel()
    if let round { startTimer(at: date, round) }
    return wasOpen
  }

  @usableFromInline
  final func startTimer(at date: Context.SchedulerTimeType, _ round: Int) {
    let downstream = lock.withLock { state.downstream }
    let timer = scheduler.timer(at: date, every: interval, repeats, options) {
      // As in Combine, the downstream stays until the scheduler lets the action go.
      withExtendedLifetime(downstream) { self.timerFired(round) }
    }
    let isStillCurrent = lock.withLock {
      guard isOpen, round == state.timerRound else { return false }
      state.timer = timer
      return true
    }
    if !isStillCurrent { timer.cancel() }
  }

  private func timerFired(_ round: Int) {
    let now = sparesTimers ? scheduler.now : nil
    var old: (any Cancellable)?
    let (isDue, later): (Bool, (date: Context.SchedulerTimeType, round: Int)?) = lock.withLock {
      guard isOpen, round == state.timerRound else { return (false, nil) }
      if let now, let date = state.postponed, now < date {
        old = stopTimer()
        state.postponed = date
        return (false, (date, state.timerRound))
      }
      if !repeats { old = stopTimer() }
      timeIsUp()
      return (true, nil)
    }
    old?.cancel()
    if let later { startTimer(at: later.date, later.round) }
    if isDue { afterTimeIsUp() }
  }

  /// Ends the round, with the lock held; what is returned is to be cancelled without it.
  @inlinable
  final func stopTimer() -> (any Cancellable)? {
    state.timerRound += 1
    state.postponed = nil
    return state.timer.take()
  }

  /// Closes it to the upstream and stops the timer; says whether it was open.
  final func close() -> Bool {
    var old: (any Cancellable)?
    let wasOpen = lock.withLock {
      guard isOpen else { return false }
      state.isEnding = true
      old = stopTimer()
      return true
    }
    old?.cancel()
    return wasOpen
  }
}

/// A scheduler whose timers cost so much that one that is put off goes on, and is set again when
/// it is due.
///
/// On others each value sets a new timer, as in Combine; they may count them.
@usableFromInline
protocol TimerSparingScheduler: Scheduler {}

extension DispatchQueue: TimerSparingScheduler {}

extension Scheduler {
  /// A timer that is first due at `date`; one that need not repeat may have no interval.
  fileprivate func timer(
    at date: SchedulerTimeType,
    every interval: SchedulerTimeType.Stride,
    _ repeats: Bool,
    _ options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let tolerance = minimumTolerance
    guard interval <= 0, !repeats else {
      return schedule(
        after: date,
        interval: interval,
        tolerance: tolerance,
        options: options,
        action
      )
    }
    schedule(after: date, tolerance: tolerance, options: options, action)
    return Subscriptions.empty
  }
}

extension TimedSubscription.Signal: Sendable, Disposable
where Downstream.Input: Disposable, Downstream.Failure: Sendable {
  @usableFromInline
  static func dispose(_ values: Any) { Downstream.Input.dispose(values) }
}
