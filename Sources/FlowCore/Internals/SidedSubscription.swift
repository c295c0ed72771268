/// How an operator with a publisher at its side behaves.
@frozen
@usableFromInline
struct SideRules<Input, Side, SideFailure: Error, Output, Failure: Error> {
  @frozen
  @usableFromInline
  enum Step {
    case emit(Output)
    /// Sends nothing, and asks for so many more instead.
    case skip(Subscribers.Demand)
  }

  @usableFromInline let name: String
  /// What the side is asked for.
  @usableFromInline let sideDemand: Subscribers.Demand
  /// Whether the downstream is given its subscription before anybody is subscribed to.
  @usableFromInline let startsAtOnce: Bool
  /// Whether the first value of the side is the end.
  @usableFromInline let endsWithSide: Bool
  /// Whether a value of the side is used once only.
  @usableFromInline let usesUpSide: Bool
  /// What is made of a value and of the side's newest value.
  @usableFromInline let step: (Input, Side?) -> Step
  /// What comes of the side's end, given its newest value; nil is nothing.
  @usableFromInline let sideEnd: SideEnd

  @usableFromInline typealias SideEnd =
    (Subscribers.Completion<SideFailure>, Side?) -> Subscribers.Completion<Failure>?

  @inlinable
  init(
    name: String,
    sideDemand: Subscribers.Demand,
    startsAtOnce: Bool,
    endsWithSide: Bool,
    usesUpSide: Bool = false,
    step: @escaping (Input, Side?) -> Step,
    sideEnd: @escaping SideEnd
  ) {
    self.name = name
    self.sideDemand = sideDemand
    self.startsAtOnce = startsAtOnce
    self.endsWithSide = endsWithSide
    self.usesUpSide = usesUpSide
    self.step = step
    self.sideEnd = sideEnd
  }
}

/// A stage with a publisher at its side, whose values or end say what becomes of the upstream's.
///
/// The owner word is held while the downstream is sent something, so that what comes of the side
/// never overlaps with a value.
@usableFromInline
final class SidedSubscription<Input, Side, SideFailure: Error, Downstream: Subscriber>:
  _OwnedSubscription, _Answering, Subscriber
{
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Rules = SideRules<Input, Side, SideFailure, Downstream.Input, Failure>
  @usableFromInline typealias Completion = Subscribers.Completion<Failure>

  @usableFromInline let rules: Rules
  @usableFromInline let lock = Lock()
  // memory 5: this belongs to whoever is inside the owner word, and what is of the side to whoever
  // has the lock, as its values wait for nobody.
  @safe @exclusivity(unchecked) @usableFromInline var state: State
  @safe @exclusivity(unchecked) @usableFromInline var side = SideState()

  @usableFromInline
  struct State {
    /// Asked for before there is an upstream.
    @usableFromInline var early = 0
    @usableFromInline var wasSubscribed = false
    /// Whether the downstream has been given its subscription.
    @usableFromInline var isIntroduced = false
    @usableFromInline var pendingEnd: Completion?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @usableFromInline
  struct SideState {
    /// Whether the side has more to say.
    @usableFromInline var isOpen = false
    @usableFromInline var isOver = false
    @usableFromInline var subscription: _HeldSubscription?
    @usableFromInline var newest: Side?

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ rules: Rules) {
    state = State(downstream)
    self.rules = rules
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: SidedSubscription.self)  // memory 7
      guard me.enter(noting: count) else { return }
      if count == 0 { me.askUpstream(0) }  // for nothing, too, as Combine does
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { rules.name }

  /// It passes it on.
  @usableFromInline
  override var _takesNone: Bool { true }

  /// Subscribes to the side first, so that none of its values is missed.
  @inlinable
  func start<P: Publisher, S: Publisher>(_ upstream: P, side: S)
  where P.Output == Input, P.Failure == Failure, S.Output == Side, S.Failure == SideFailure {
    if rules.startsAtOnce {
      owner.enter()
      introduce(self)
      leave()
    }
    side.receive(subscriber: SideSubscriber(parent: self))
    upstream.receive(subscriber: self)
  }

  /// Hands on a subscription; what comes from inside of that is sent at once.
  @inlinable
  func introduce(_ subscription: any Subscription) {
    state.isIntroduced = true
    let downstream = state.downstream
    downstream?.receive(subscription: subscription)
  }

  /// Sends the downstream something; it stays in place meanwhile.
  @inlinable @inline(__always)
  func deliver<R>(_ send: (borrowing _Borrowed<Downstream>) -> R) -> R {
    let wasUnderWay = delivery.isUnderWay
    delivery.isUnderWay = true
    defer { delivery.isUnderWay = wasUnderWay }
    return withBorrowed(&state.downstream, send)
  }

  /// Asks for what has been asked for.
  @inlinable
  func answer() {
    let count = takeAsked()
    guard count > 0 else { return }
    guard state.wasSubscribed else {
      state.early = addDemand(state.early, count)
      return
    }
    askUpstream(count)
  }

  // MARK: The upstream

  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    guard !hasEnded, !state.wasSubscribed else {
      leave()
      return subscription.cancel()
    }
    state.wasSubscribed = true
    keepUpstream(subscription)
    let early = state.early
    if !rules.startsAtOnce { introduce(self) }
    leave()
    if early > 0 { subscription.request(Subscribers.Demand(_count: early)) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    var more = Subscribers.Demand.none
    if !hasEnded, hasUpstream, state.pendingEnd == nil {
      let newest = lock.withLock { rules.usesUpSide ? side.newest.take() : side.newest }
      switch rules.step(input, newest) {
      case .skip(let count): more = count
      case .emit(let output):
        more = Subscribers.Demand(_count: deliver { $0.receive(output) })
        if state.pendingEnd != nil { finishIfPending() }
      }
    }
    leave()
    return more
  }

  @inlinable
  func receive(completion: Completion) {
    owner.enter()
    if hasUpstream {
      endUpstream()
      finish(completion)
    } else if !state.wasSubscribed {
      _ = end()  // nobody has been given a subscription: there is nobody to tell
    }
    leave()
  }

  // MARK: The side

  @inlinable
  func receive(sideSubscription: any Subscription) {
    let isWanted = lock.withLock {
      guard !side.isOver, !side.isOpen else { return false }
      side.isOpen = true
      side.subscription = sideSubscription._held
      return true
    }
    guard isWanted else { return sideSubscription.cancel() }
    sideSubscription.request(rules.sideDemand)
  }

  @inlinable
  func receive(sideValue: Side) {
    var newest: Side? = sideValue
    var done: _HeldSubscription?
    let isExpected = lock.withLock {
      guard side.isOpen else { return false }
      swap(&side.newest, &newest)
      if rules.sideDemand != .unlimited {
        side.isOpen = false
        swap(&side.subscription, &done)
      }
      return true
    }
    // It has said all that is wanted, and is to hold up nobody who waits for those without demand.
    done?.cancel()
    if isExpected, rules.endsWithSide { finishFromSide(.finished) }
  }

  @inlinable
  func receive(sideCompletion: Subscribers.Completion<SideFailure>) {
    var old: _HeldSubscription?
    let (isExpected, newest): (Bool, Side?) = lock.withLock {
      defer { side.isOpen = false }
      swap(&side.subscription, &old)
      return (side.isOpen, side.newest)
    }
    withExtendedLifetime(old) {}
    guard isExpected, let completion = rules.sideEnd(sideCompletion, newest) else { return }
    finishFromSide(completion)
  }

  // MARK: Ending

  /// Ends it from the side, after the value that is just being sent.
  @inlinable
  func finishFromSide(_ completion: Completion) {
    owner.enter()
    cancelUpstream()
    finish(completion)
    leave()
  }

  /// Inside the owner word.
  @inlinable
  func finish(_ completion: Completion) {
    state.pendingEnd = state.pendingEnd ?? completion
    finishIfPending()
  }

  @inlinable
  func finishIfPending() {
    guard !delivery.isUnderWay, let completion = state.pendingEnd, end() else { return }
    delivery.isUnderWay = true
    close()
    // The side may end it before there is an upstream; nobody takes an end without a subscription.
    if !state.isIntroduced { introduce(Subscriptions.empty) }
    deliver { $0.receive(completion: completion) }
    delivery.isUnderWay = false
  }

  /// Cancels upstream and side, and lets go of the rest as soon as nothing is being sent.
  @inlinable
  func close() {
    var (oldSide, newest): (_HeldSubscription?, Side?) = (nil, nil)
    lock.withLock {
      side.isOpen = false
      side.isOver = true
      swap(&side.subscription, &oldSide)
      swap(&side.newest, &newest)
    }
    cancelUpstream()
    oldSide?.cancel()
    withExtendedLifetime(newest) {}
    guard !delivery.isUnderWay, let old = state.downstream else { return }
    state.downstream = nil
    withExtendedLifetime(old) {}
  }

  @frozen
  @usableFromInline
  struct SideSubscriber: Subscriber, _SelfDescribing {
    @usableFromInline let parent: SidedSubscription

    @inlinable
    init(parent: SidedSubscription) {
      self.parent = parent
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { parent.combineIdentifier }
    @inlinable
    var description: String { parent.description }

    @inlinable
    func receive(subscription: any Subscription) { parent.receive(sideSubscription: subscription) }

    @inlinable
    func receive(_ input: Side) -> Subscribers.Demand {
      parent.receive(sideValue: input)
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<SideFailure>) {
      parent.receive(sideCompletion: completion)
    }
  }
}
