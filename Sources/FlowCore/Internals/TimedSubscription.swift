/// What the operators share that send when a scheduler says so.
///
/// Signals line up, and whoever finds nobody delivering delivers those that are due: one at a time
/// and in order, on a concurrent scheduler, too. There is one timer, of whose rounds the last one
/// counts.
class TimedSubscription<Downstream: Subscriber>: Subscription, _SelfDescribing {
  enum Signal {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Downstream.Failure>)
  }

  let lock = Lock()
  // The lock guards these.
  final private(set) var downstream: Downstream?
  final var upstream: (any Subscription)?
  final var demand = Subscribers.Demand.none
  /// Whether the end is decided on, so that the upstream is no longer listened to.
  final var isEnding = false
  final private var hasStarted = false
  final private var isDelivering = false
  final private var signals = _Queue<Signal>()
  /// How many signals may be sent.
  final private var due = 0
  final private var timer: (any Cancellable)?
  final private var timerRound = 0

  init(_ downstream: Downstream) { self.downstream = downstream }

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
    var oldSignals = _Queue<Signal>()
    lock.withLock {
      swap(&downstream, &oldDownstream)
      swap(&upstream, &oldUpstream)
      swap(&signals, &oldSignals)
      due = 0
      oldTimer = stopTimer()
    }
    oldTimer?.cancel()
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
  /// Starts a new round of the timer, unless it is over.
  ///
  /// - Parameters:
  ///   - schedule: makes the timer; called without the lock.
  ///   - change: what belongs to the round; called with the lock held.
  ///   - whenDue: what the timer does; it asks whether its round `isCurrent(_:)`.
  /// - Returns: whether it did.
  @discardableResult
  final func restartTimer(
    _ schedule: (@escaping () -> Void) -> any Cancellable,
    change: () -> Void = {},
    whenDue: @escaping (_ round: Int) -> Void
  ) -> Bool {
    var old: (any Cancellable)?
    let begun: (round: Int, downstream: Downstream?)? = lock.withLock {
      guard isOpen else { return nil }
      old = stopTimer()
      change()
      return (timerRound, downstream)
    }
    old?.cancel()
    guard let (round, downstream) = begun else { return false }
    // As in Combine, the downstream stays until the scheduler lets the action go.
    let timer = schedule { withExtendedLifetime(downstream) { whenDue(round) } }
    let isStillCurrent = lock.withLock {
      guard isCurrent(round) else { return false }
      self.timer = timer
      return true
    }
    if !isStillCurrent { timer.cancel() }
    return true
  }

  /// Whether a round that is due still counts; asked with the lock held.
  final func isCurrent(_ round: Int) -> Bool { isOpen && round == timerRound }

  /// Ends the round, with the lock held; what is returned is to be cancelled without it.
  final func stopTimer() -> (any Cancellable)? {
    timerRound += 1
    defer { timer = nil }
    return timer
  }

  /// Closes it to the upstream and stops the timer; says whether it was open.
  ///
  /// If a round is given, only while it is current.
  final func close(round: Int? = nil) -> Bool {
    var old: (any Cancellable)?
    let wasOpen = lock.withLock {
      guard isCurrent(round ?? timerRound) else { return false }
      isEnding = true
      old = stopTimer()
      return true
    }
    old?.cancel()
    return wasOpen
  }
}

extension Scheduler {
  /// A timer that is first due one interval from now.
  func timer(
    every interval: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(
      after: now.advanced(by: interval),
      interval: interval,
      tolerance: minimumTolerance,
      options: options,
      action
    )
  }
}
