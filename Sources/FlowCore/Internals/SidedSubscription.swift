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
    step: @escaping (Input, Side?) -> Step,
    sideEnd: @escaping SideEnd
  ) {
    self.name = name
    self.sideDemand = sideDemand
    self.startsAtOnce = startsAtOnce
    self.endsWithSide = endsWithSide
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
  _ControlSubscription, Subscriber
{
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Rules = SideRules<Input, Side, SideFailure, Downstream.Input, Failure>
  @usableFromInline typealias End = (
    downstream: Downstream, upstream: (any Subscription)?, side: (any Subscription)?
  )
  @usableFromInline typealias Completion = Subscribers.Completion<Failure>

  @usableFromInline let rules: Rules
  @usableFromInline let owner = OwnerLock()
  @usableFromInline let lock = Lock()
  // memory 5: `isDelivering` and `pendingEnd` belong to whoever is inside the owner word,
  // the others to whoever has the lock.
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var upstream: (any Subscription)?
    /// There while the side has more to say.
    @usableFromInline var side: (any Subscription)?
    /// Asked for before there is an upstream.
    @usableFromInline var demand = Subscribers.Demand.none
    /// Whether the downstream has been given its subscription.
    @usableFromInline var isIntroduced: Bool
    @usableFromInline var isDelivering = false
    @usableFromInline var pendingEnd: Completion?
    @usableFromInline var newest: Side?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream, isIntroduced: Bool) {
      self.downstream = downstream
      self.isIntroduced = isIntroduced
    }
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ rules: Rules) {
    state = State(downstream, isIntroduced: rules.startsAtOnce)
    self.rules = rules
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: SidedSubscription.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
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
    if rules.startsAtOnce { state.downstream?.receive(subscription: self) }
    side.receive(subscriber: SideSubscriber(parent: self))
    upstream.receive(subscriber: self)
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    let upstream = lock.withLock {
      if state.upstream == nil { state.demand += demand }
      return state.upstream
    }
    upstream?.request(demand)  // for nothing, too, as Combine does
  }

  @inlinable
  func stop() {
    let old = end()
    old?.upstream?.cancel()
    old?.side?.cancel()
  }

  // MARK: The upstream

  @inlinable
  func receive(subscription: any Subscription) {
    let (downstream, demand): (Downstream?, Subscribers.Demand) = lock.withLock {
      guard let downstream = state.downstream, state.upstream == nil else { return (nil, .none) }
      state.upstream = subscription
      state.isIntroduced = true
      return (downstream, state.demand)
    }
    guard let downstream else { return subscription.cancel() }
    if !rules.startsAtOnce { return downstream.receive(subscription: self) }
    if demand > 0 { subscription.request(demand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    defer { owner.exit() }
    let (downstream, newest) = lock.withLock {
      (state.upstream == nil ? nil : state.downstream, state.newest)
    }
    guard let downstream, state.pendingEnd == nil else { return .none }
    switch rules.step(input, newest) {
    case .skip(let more): return more
    case .emit(let output):
      let wasDelivering = state.isDelivering
      state.isDelivering = true
      let more = downstream.receive(output)
      state.isDelivering = wasDelivering
      finishIfPending()
      return more
    }
  }

  @inlinable
  func receive(completion: Completion) {
    owner.enter()
    defer { owner.exit() }
    guard lock.withLock({ state.upstream != nil }) else {
      // Nobody has been given a subscription: there is nobody to tell.
      end()?.side?.cancel()
      return
    }
    lock.withLock { state.upstream = nil }
    finish(completion)
  }

  // MARK: The side

  @inlinable
  func receive(sideSubscription: any Subscription) {
    let isWanted = lock.withLock {
      guard state.downstream != nil, state.side == nil else { return false }
      state.side = sideSubscription
      return true
    }
    guard isWanted else { return sideSubscription.cancel() }
    sideSubscription.request(rules.sideDemand)
  }

  @inlinable
  func receive(sideValue: Side) {
    let (isExpected, done, old) = lock.withLock { () -> (Bool, (any Subscription)?, Side?) in
      guard let side = state.side else { return (false, nil, nil) }
      defer { state.newest = sideValue }
      guard rules.sideDemand != .unlimited else { return (true, nil, state.newest) }
      state.side = nil
      return (true, side, state.newest)
    }
    withExtendedLifetime(old) {}
    // It has said all that is wanted, and is to hold up nobody who waits for those without demand.
    done?.cancel()
    if isExpected, rules.endsWithSide { finishFromSide(.finished) }
  }

  @inlinable
  func receive(sideCompletion: Subscribers.Completion<SideFailure>) {
    let (isExpected, newest): (Bool, Side?) = lock.withLock {
      defer { state.side = nil }
      return (state.side != nil, state.newest)
    }
    guard isExpected, let completion = rules.sideEnd(sideCompletion, newest) else { return }
    finishFromSide(completion)
  }

  // MARK: Ending

  /// Ends it from the side, after the value that is just being sent.
  @inlinable
  func finishFromSide(_ completion: Completion) {
    owner.enter()
    defer { owner.exit() }
    let upstream = lock.withLock {
      defer { state.upstream = nil }
      return state.upstream
    }
    upstream?.cancel()
    finish(completion)
  }

  /// Inside the owner word.
  @inlinable
  func finish(_ completion: Completion) {
    state.pendingEnd = state.pendingEnd ?? completion
    finishIfPending()
  }

  @inlinable
  func finishIfPending() {
    guard !state.isDelivering, let completion = state.pendingEnd, let old = end() else { return }
    old.side?.cancel()
    // The side may end it before there is an upstream; nobody takes an end without a subscription.
    if !state.isIntroduced { old.downstream.receive(subscription: Subscriptions.empty) }
    old.downstream.receive(completion: completion)
  }

  /// Takes everybody out, once.
  @inlinable
  func end() -> End? {
    let (old, last) = lock.withLock { () -> (End?, Side?) in
      guard let downstream = state.downstream else { return (nil, nil) }
      defer {
        state.downstream = nil
        state.upstream = nil
        state.side = nil
        state.newest = nil
      }
      return ((downstream, state.upstream, state.side), state.newest)
    }
    withExtendedLifetime(last) {}
    return old
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
