import Dispatch

/// What the operators share that send when a scheduler says so.
///
/// Signals line up, and whoever finds nobody delivering delivers those that are due: one at a time
/// and in order, on a concurrent scheduler, too. There is one timer, of whose rounds the last one
/// counts.
class TimedSubscription<Downstream: Subscriber, Context: Scheduler>: Subscription, _SelfDescribing {
  enum Signal {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }

  final let scheduler: Context
  final let interval: Context.SchedulerTimeType.Stride
  final let options: Context.SchedulerOptions?
  /// Whether a timer that is put off goes on.
  final private let sparesTimers = Context.self is any TimerSparingScheduler.Type
  final let lock = Lock()
  // The lock guards these.
  final private(set) var downstream: Downstream?
  final var upstream: (any Subscription)?
  final var demand = Subscribers.Demand.none
  /// Whether the end is decided on, so that the upstream is no longer listened to.
  final var isEnding = false
  final private var hasStarted = false
  final private var isDelivering = false
  final private var signals = Fifo<Signal>()
  /// How many signals may be sent.
  final private var due = 0
  final private var timer: (any Cancellable)?
  final private var timerRound = 0
  /// When the timer is due, if the scheduler is to be spared a new one for each value.
  final private var postponed: Context.SchedulerTimeType?

  init(
    _ downstream: Downstream,
    _ scheduler: Context,
    _ interval: Context.SchedulerTimeType.Stride,
    _ options: Context.SchedulerOptions?
  ) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.interval = interval
    self.options = options
  }

  /// The operator's name, from a subclass.
  var description: String { "" }

  var _children: [Mirror.Child] { [] }

  /// Whether a cancellation counts that comes before there is an upstream.
  var isCancellableEarly: Bool { false }

  /// Whether the upstream is listened to; asked with the lock held.
  final var isOpen: Bool { hasStarted && !isEnding && downstream != nil }

  func request(_ demand: Subscribers.Demand) { lock.withLock { self.demand += demand } }

  /// Called when the downstream asks for more as it takes a value.
  func receive(more: Subscribers.Demand, after value: Downstream.Input) {
    lock.withLock { demand += more }
  }

  /// Whether the timer goes on when it has fired.
  var repeats: Bool { false }

  /// What the timer does first, with the lock held.
  func timeIsUp() {}

  /// What the timer does then.
  func afterTimeIsUp() {}

  /// Lets go of what a subclass holds.
  func release() {}

  final func cancel() {
    guard lock.withLock({ hasStarted || isCancellableEarly }) else { return }
    end()?.cancel()
  }

  /// Ends it, and returns the upstream.
  private func end() -> (any Subscription)? {
    var (oldDownstream, oldUpstream): (Downstream?, (any Subscription)?) = (nil, nil)
    var oldTimer: (any Cancellable)?
    var oldSignals = Fifo<Signal>()
    lock.withLock {
      swap(&downstream, &oldDownstream)
      swap(&upstream, &oldUpstream)
      swap(&signals, &oldSignals)
      due = 0
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
  final func start(_ subscription: any Subscription) -> Bool {
    let isWanted = lock.withLock {
      guard !hasStarted, downstream != nil else { return false }
      hasStarted = true
      isDelivering = true
      upstream = subscription
      return true
    }
    if !isWanted { subscription.cancel() }
    return isWanted
  }

  /// Hands itself to the downstream.
  final func introduce() {
    lock.withLock { downstream }?.receive(subscription: self)
    sendDue()
  }

  /// Puts a signal into the line, with the lock held; it goes after a call of `deliverOneMore()`.
  final func enqueue(_ signal: Signal) { signals.append(signal) }

  /// Puts a signal into the line that is due, with the lock held; without it `deliver()` follows.
  final func post(_ signal: Signal) {
    enqueue(signal)
    due += 1
  }

  /// Lets one more signal of the line go.
  final func deliverOneMore() {
    lock.withLock { due += 1 }
    deliver()
  }

  /// Sends what is due, unless somebody is already doing so.
  final func deliver() {
    let isMine = lock.withLock {
      guard !isDelivering else { return false }
      isDelivering = true
      return true
    }
    if isMine { sendDue() }
  }

  private func sendDue() {
    while true {
      let next: (Signal, Downstream)? = lock.withLock {
        guard due > 0, let downstream, let signal = signals.popFirst() else {
          isDelivering = false
          return nil
        }
        due -= 1
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
  @discardableResult
  final func restartTimer(_ change: () -> Void = {}) -> Bool {
    guard lock.withLock({ isOpen }) else { return false }
    let date = scheduler.now.advanced(by: interval)
    var old: (any Cancellable)?
    let (wasOpen, round): (Bool, Int?) = lock.withLock {
      guard isOpen else { return (false, nil) }
      change()
      let isRunning = postponed != nil
      if !isRunning { old = stopTimer() }
      if sparesTimers { postponed = date }
      if isRunning { return (true, nil) }
      return (true, timerRound)
    }
    old?.cancel()
    if let round { startTimer(at: date, round) }
    return wasOpen
  }

  private func startTimer(at date: Context.SchedulerTimeType, _ round: Int) {
    let downstream = lock.withLock { self.downstream }
    let timer = scheduler.timer(at: date, every: interval, repeats, options) {
      // As in Combine, the downstream stays until the scheduler lets the action go.
      withExtendedLifetime(downstream) { self.timerFired(round) }
    }
    let isStillCurrent = lock.withLock {
      guard isOpen, round == timerRound else { return false }
      self.timer = timer
      return true
    }
    if !isStillCurrent { timer.cancel() }
  }

  private func timerFired(_ round: Int) {
    let now = sparesTimers ? scheduler.now : nil
    var old: (any Cancellable)?
    let (isDue, later): (Bool, (date: Context.SchedulerTimeType, round: Int)?) = lock.withLock {
      guard isOpen, round == timerRound else { return (false, nil) }
      if let now, let date = postponed, now < date {
        old = stopTimer()
        postponed = date
        return (false, (date, timerRound))
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
  final func stopTimer() -> (any Cancellable)? {
    timerRound += 1
    postponed = nil
    defer { timer = nil }
    return timer
  }

  /// Closes it to the upstream and stops the timer; says whether it was open.
  final func close() -> Bool {
    var old: (any Cancellable)?
    let wasOpen = lock.withLock {
      guard isOpen else { return false }
      isEnding = true
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
  static func dispose(_ values: Any) { Downstream.Input.dispose(values) }
}
