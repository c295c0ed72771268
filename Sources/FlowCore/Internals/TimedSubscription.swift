/// What an operator does that sends when a scheduler says so; `TimedSubscription` does all else.
///
/// The functions are given the subscription whose `rules` this is, and which has what changes.
@usableFromInline
protocol TimedRules {
  associatedtype Input
  associatedtype Downstream: Subscriber
  associatedtype Clock: Scheduler
  /// What changes; the subscription's lock guards it.
  associatedtype Kept
  typealias Host = TimedSubscription<Self>

  static var name: StaticString { get }
  /// Whether a request for nothing does nothing instead of trapping.
  static var takesNone: Bool { get }
  /// Whether a cancellation counts that comes before there is an upstream.
  static var isCancellableEarly: Bool { get }
  /// Whether the timer goes on when it has fired.
  static var repeats: Bool { get }

  /// What a mirror shows.
  static func children(_ host: Host) -> [Mirror.Child]

  /// The upstream's subscription has come.
  static func begin(_ host: Host, _ subscription: any Subscription)
  /// The downstream asks for more.
  static func ask(_ demand: Subscribers.Demand, _ host: Host)
  /// The downstream asks for more as it takes `value`.
  static func ask(_ demand: Subscribers.Demand, with value: Downstream.Input, _ host: Host)
  static func take(_ input: Input, _ host: Host) -> Subscribers.Demand
  static func take(_ completion: Subscribers.Completion<Downstream.Failure>, _ host: Host)

  /// What the scheduler was asked for by `scheduleLine` has come.
  static func lineIsDue(_ host: Host)
  /// What the timer does first, with the lock held.
  static func timeIsUp(_ host: Host)
  /// What the timer does then.
  static func afterTimeIsUp(_ host: Host)
  /// Lets go of what is held, at the end.
  static func release(_ host: Host)
}

extension TimedRules {
  @inlinable static var takesNone: Bool { true }
  @inlinable static var isCancellableEarly: Bool { false }
  @inlinable static var repeats: Bool { false }
  @inlinable static func children(_ host: Host) -> [Mirror.Child] { [] }
  @inlinable
  static func ask(_ demand: Subscribers.Demand, _ host: Host) {
    host.lock.withLock { host.state.demand += demand }
  }
  @inlinable
  static func ask(_ demand: Subscribers.Demand, with value: Downstream.Input, _ host: Host) {
    ask(demand, host)
  }
  @inlinable static func lineIsDue(_ host: Host) { host.deliverOneMore() }
  @inlinable static func timeIsUp(_ host: Host) {}
  @inlinable static func afterTimeIsUp(_ host: Host) {}
  @inlinable static func release(_ host: Host) {}
}

/// What the operators share that send when a scheduler says so.
///
/// Signals line up, and whoever finds nobody delivering delivers those that are due: one at a time
/// and in order, on a concurrent scheduler, too. There is one timer, of whose rounds the last one
/// counts.
@usableFromInline
final class TimedSubscription<Rules: TimedRules>: _ActionLine, Subscriber {
  @usableFromInline typealias Input = Rules.Input
  @usableFromInline typealias Downstream = Rules.Downstream
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Time = Rules.Clock.SchedulerTimeType

  @frozen
  @usableFromInline
  enum Signal {
    case value(Downstream.Input)
    case completion(Subscribers.Completion<Failure>)
  }

  @usableFromInline let scheduler: Rules.Clock
  @usableFromInline let interval: Time.Stride
  @usableFromInline let options: Rules.Clock.SchedulerOptions?
  /// Closed at the end.
  @usableFromInline let uses = UseCount()
  @usableFromInline let lock = Lock()
  @usableFromInline let rules: Rules
  // memory 5: the use count guards the first two, the lock the others.
  @safe @exclusivity(unchecked) @usableFromInline var upstream = Upstream()
  @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @safe @exclusivity(unchecked) @usableFromInline var state = State()
  @safe @exclusivity(unchecked) @usableFromInline var kept: Rules.Kept

  @usableFromInline
  struct State {
    @usableFromInline var demand = Subscribers.Demand.none
    /// Whether the end is decided on, so that the upstream is no longer listened to.
    @usableFromInline var isEnding = false
    @usableFromInline var isDelivering = false
    @usableFromInline var signals = Fifo<Signal>()
    /// How many signals may be sent.
    @usableFromInline var due = 0
    @usableFromInline var timer: _Timer?
    @usableFromInline var timerRound = 0
    /// When the timer is due, if it was put off.
    @usableFromInline var postponed: Time?

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  init(
    _ downstream: Downstream,
    _ rules: Rules,
    _ kept: Rules.Kept,
    _ scheduler: Rules.Clock,
    _ interval: Time.Stride,
    _ options: Rules.Clock.SchedulerOptions?
  ) {
    self.downstream = downstream
    self.rules = rules
    self.kept = kept
    self.scheduler = scheduler
    self.interval = interval
    self.options = options
    super.init { line in
      Rules.lineIsDue(unsafe unsafeDowncast(line, to: TimedSubscription.self))  // memory 7
    } control: { object, count in
      let me = unsafe unsafeDowncast(object, to: TimedSubscription.self)  // memory 7
      if count < 0 { me.stop() } else { Rules.ask(Subscribers.Demand(_count: count), me) }
    }
  }

  @usableFromInline
  override var description: String { Rules.name.description }

  @usableFromInline
  override var _children: [Mirror.Child] { Rules.children(self) }

  @usableFromInline
  override var _takesNone: Bool { Rules.takesNone }

  /// Whether the upstream is listened to; asked with the lock held.
  @inlinable
  var isOpen: Bool { uses.hasStarted && !state.isEnding && !uses.isClosed }

  @inlinable
  func receive(subscription: any Subscription) {
    guard uses.begin() else { return subscription.cancel() }
    defer { endUse() }
    guard uses.takeFirst() else { return subscription.cancel() }
    upstream.keep(subscription)
    // Signals can be posted from now on, but go after the subscription.
    lock.withLock { state.isDelivering = true }
    guard uses.publishUpstream() else { return subscription.cancel() }
    Rules.begin(self, subscription)
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { Rules.take(input, self) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if close() { Rules.take(completion, self) }
  }

  @inlinable
  func stop() {
    guard uses.hasStarted || Rules.isCancellableEarly, uses.begin() else { return }
    if end(), uses.endUpstream() { upstream.cancel() }
    endUse()
  }

  /// Cancels the upstream, of which no more is wanted.
  @inlinable
  func cancelUpstream() {
    guard uses.begin() else { return }
    if uses.endUpstream() { upstream.cancel() }
    endUse()
  }

  /// Ends it, from inside a use; true the first time.
  @inlinable
  func end() -> Bool {
    guard uses.close().isFirst else { return false }
    var oldTimer: _Timer?
    var oldSignals = Fifo<Signal>()
    lock.withLock {
      swap(&state.signals, &oldSignals)
      state.due = 0
      oldTimer = stopTimer()
    }
    scheduler._forget(self)
    oldTimer?.cancel()
    oldSignals.letGo()
    Rules.release(self)
    return true
  }

  @inlinable @inline(__always)
  func endUse() { if uses.end() { letGo() } }

  /// Lets go of the upstream and the downstream, which nobody uses any more.
  @inlinable
  func letGo() {
    let old = upstream.take()
    downstream = nil
    withExtendedLifetime(old) {}
  }
}

// Delivery.
extension TimedSubscription {
  /// Hands itself to the downstream, from inside a use, and sends what has come meanwhile.
  @inlinable
  func introduce() {
    withBorrowed(&downstream) { $0.receive(subscription: self) }
    sendDue()
  }

  /// Asks the upstream, if it is listened to.
  @inlinable
  func askUpstream(_ demand: Subscribers.Demand) {
    guard uses.begin() else { return }
    if uses.hasUpstream { upstream.request(demand) }
    endUse()
  }

  /// Puts a signal into the line, with the lock held; it goes after a call of `deliverOneMore()`.
  @inlinable
  func enqueue(_ signal: Signal) { state.signals.append(signal) }

  /// Puts a signal into the line that is due, with the lock held; without it `deliver()` follows.
  @inlinable
  func post(_ signal: Signal) {
    enqueue(signal)
    state.due += 1
  }

  /// Has the scheduler come back to `lineIsDue`.
  @inlinable
  func scheduleLine() { scheduler._schedule(self, options: options) }

  /// Lets one more signal of the line go.
  @inlinable
  func deliverOneMore() {
    let isMine = lock.withLock {
      state.due += 1
      return takeTurn()
    }
    if isMine { sendDue() }
  }

  /// Sends what is due, unless somebody is already doing so.
  @inlinable
  func deliver() {
    if lock.withLock({ takeTurn() }) { sendDue() }
  }

  @inlinable
  func takeTurn() -> Bool {
    guard !state.isDelivering else { return false }
    state.isDelivering = true
    return true
  }

  @inlinable
  func sendDue() {
    guard uses.begin() else { return }
    defer { endUse() }
    while let signal = nextDue() {
      switch signal {
      case .value(let value):
        let more = withBorrowed(&downstream) { $0.receive(value) }
        if more > 0 { Rules.ask(Subscribers.Demand(_count: more), with: value, self) }
      case .completion(let completion):
        guard end() else { return }
        withBorrowed(&downstream) { $0.receive(completion: completion) }
      }
    }
  }

  @inlinable
  func nextDue() -> Signal? {
    lock.withLock {
      if state.due > 0, let signal = state.signals.popFirst() {
        state.due -= 1
        return signal
      }
      state.isDelivering = false
      return nil
    }
  }
}

// The timer.
extension TimedSubscription {
  /// Lets the time run anew, unless it is over.
  ///
  /// - Parameter change: what belongs to it; called with the lock held.
  /// - Returns: whether it did.
  @inlinable @inline(__always)
  @discardableResult
  func restartTimer(_ change: () -> Void = {}) -> Bool {
    guard uses.hasStarted, uses.begin() else { return false }
    defer { endUse() }
    let date = scheduler.now.advanced(by: interval)
    var old: _Timer?
    let (wasOpen, round): (Bool, Int?) = lock.withLock {
      guard isOpen else { return (false, nil) }
      change()
      if let timer = state.timer, scheduler._postpone(timer, to: date) {
        state.postponed = date
        return (true, nil)
      }
      old = stopTimer()
      return (true, state.timerRound)
    }
    old?.cancel()
    if let round { startTimer(at: date, round) }
    return wasOpen
  }

  @inlinable
  func startTimer(at date: Time, _ round: Int) {
    guard uses.begin() else { return }
    defer { endUse() }
    let downstream = downstream
    let action = {
      // As in Combine, the downstream stays until the scheduler lets the action go.
      withExtendedLifetime(downstream) { self.timerFired(round) }
    }
    let tolerance = scheduler.minimumTolerance
    guard interval > 0 || Rules.repeats else {
      return scheduler.schedule(after: date, tolerance: tolerance, options: options, action)
    }
    let timer = scheduler._startTimer(
      after: date,
      interval: interval,
      tolerance: tolerance,
      options: options,
      action
    )
    let isStillCurrent = lock.withLock {
      guard isOpen, round == state.timerRound else { return false }
      state.timer = timer
      return true
    }
    if !isStillCurrent { timer.cancel() }
  }

  @inlinable
  func timerFired(_ round: Int) {
    let now: Time? = lock.withLock({ state.postponed != nil }) ? scheduler.now : nil
    var old: _Timer?
    let (isDue, later): (Bool, (date: Time, round: Int)?) = lock.withLock {
      guard isOpen, round == state.timerRound else { return (false, nil) }
      if let date = state.postponed, let now, now < date {
        old = stopTimer()
        state.postponed = date
        return (false, (date, state.timerRound))
      }
      if !Rules.repeats { old = stopTimer() }
      Rules.timeIsUp(self)
      return (true, nil)
    }
    old?.cancel()
    if let later { startTimer(at: later.date, later.round) }
    if isDue { Rules.afterTimeIsUp(self) }
  }

  /// Ends the round, with the lock held; what is returned is to be cancelled without it.
  @inlinable
  func stopTimer() -> _Timer? {
    state.timerRound += 1
    state.postponed = nil
    return state.timer.take()
  }

  /// Closes it to the upstream and stops the timer; says whether it was open.
  @inlinable
  func close() -> Bool {
    var old: _Timer?
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

extension TimedSubscription.Signal: Sendable, Disposable
where Rules.Downstream.Input: Disposable, Rules.Downstream.Failure: Sendable {
  @usableFromInline
  static func dispose(_ values: Any) { Rules.Downstream.Input.dispose(values) }
}
