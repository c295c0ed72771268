/// How an operator with a publisher at its side behaves.
struct SideRules<Input, Side, SideFailure: Error, Output, Failure: Error> {
  enum Step {
    case emit(Output)
    /// Sends nothing, and asks for so many more instead.
    case skip(Subscribers.Demand)
  }

  let name: String
  /// What the side is asked for.
  let sideDemand: Subscribers.Demand
  /// Whether the downstream is given its subscription before anybody is subscribed to.
  let startsAtOnce: Bool
  /// Whether the first value of the side is the end.
  let endsWithSide: Bool
  /// What is made of a value and of the side's newest value.
  let step: (Input, Side?) -> Step
  /// What comes of the side's end, given its newest value; nil is nothing.
  let sideEnd: (Subscribers.Completion<SideFailure>, Side?) -> Subscribers.Completion<Failure>?
}

/// A stage with a publisher at its side, whose values or end say what becomes of the upstream's.
///
/// The owner word is held while the downstream is sent something, so that what comes of the side
/// never overlaps with a value.
final class SidedSubscription<Input, Side, SideFailure: Error, Downstream: Subscriber>: Subscriber,
  Subscription, _SelfDescribing
{
  typealias Failure = Downstream.Failure
  typealias Rules = SideRules<Input, Side, SideFailure, Downstream.Input, Failure>
  typealias Completion = Subscribers.Completion<Failure>

  private let rules: Rules
  private let owner = OwnerLock()
  // These belong to whoever is inside the owner word.
  private var isDelivering = false
  private var pendingEnd: Completion?

  private let lock = Lock()
  // The lock guards these.
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  /// There while the side has more to say.
  private var side: (any Subscription)?
  private var newest: Side?
  /// Asked for before there is an upstream.
  private var demand = Subscribers.Demand.none

  init(_ downstream: Downstream, _ rules: Rules) {
    self.downstream = downstream
    self.rules = rules
  }

  var description: String { rules.name }

  /// Subscribes to the side first, so that none of its values is missed.
  func start<P: Publisher, S: Publisher>(_ upstream: P, side: S)
  where P.Output == Input, P.Failure == Failure, S.Output == Side, S.Failure == SideFailure {
    if rules.startsAtOnce { downstream?.receive(subscription: self) }
    side.receive(subscriber: SideSubscriber(parent: self))
    upstream.receive(subscriber: self)
  }

  func request(_ demand: Subscribers.Demand) {
    let upstream = lock.withLock {
      if self.upstream == nil { self.demand += demand }
      return self.upstream
    }
    upstream?.request(demand)  // for nothing, too, as Combine does
  }

  func cancel() {
    let old = end()
    old?.upstream?.cancel()
    old?.side?.cancel()
  }

  // MARK: The upstream

  func receive(subscription: any Subscription) {
    let (downstream, demand): (Downstream?, Subscribers.Demand) = lock.withLock {
      guard let downstream = self.downstream, upstream == nil else { return (nil, .none) }
      upstream = subscription
      return (downstream, self.demand)
    }
    guard let downstream else { return subscription.cancel() }
    if !rules.startsAtOnce { return downstream.receive(subscription: self) }
    if demand > 0 { subscription.request(demand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    defer { owner.exit() }
    let (downstream, newest) = lock.withLock {
      (upstream == nil ? nil : self.downstream, self.newest)
    }
    guard let downstream, pendingEnd == nil else { return .none }
    switch rules.step(input, newest) {
    case .skip(let more): return more
    case .emit(let output):
      let wasDelivering = isDelivering
      isDelivering = true
      let more = downstream.receive(output)
      isDelivering = wasDelivering
      finishIfPending()
      return more
    }
  }

  func receive(completion: Completion) {
    owner.enter()
    defer { owner.exit() }
    guard lock.withLock({ upstream != nil }) else {
      // Nobody has been given a subscription: there is nobody to tell.
      end()?.side?.cancel()
      return
    }
    lock.withLock { upstream = nil }
    finish(completion)
  }

  // MARK: The side

  fileprivate func receive(sideSubscription: any Subscription) {
    let isWanted = lock.withLock {
      guard downstream != nil, side == nil else { return false }
      side = sideSubscription
      return true
    }
    guard isWanted else { return sideSubscription.cancel() }
    sideSubscription.request(rules.sideDemand)
  }

  fileprivate func receive(sideValue: Side) {
    let (isExpected, old): (Bool, Side?) = lock.withLock {
      guard side != nil else { return (false, nil) }
      if rules.sideDemand != .unlimited { side = nil }
      defer { newest = sideValue }
      return (true, newest)
    }
    withExtendedLifetime(old) {}
    if isExpected, rules.endsWithSide { finishFromSide(.finished) }
  }

  fileprivate func receive(sideCompletion: Subscribers.Completion<SideFailure>) {
    let (isExpected, newest): (Bool, Side?) = lock.withLock {
      defer { side = nil }
      return (side != nil, self.newest)
    }
    guard isExpected, let completion = rules.sideEnd(sideCompletion, newest) else { return }
    finishFromSide(completion)
  }

  // MARK: Ending

  /// Ends it from the side, after the value that is just being sent.
  private func finishFromSide(_ completion: Completion) {
    owner.enter()
    defer { owner.exit() }
    let upstream = lock.withLock {
      defer { self.upstream = nil }
      return self.upstream
    }
    upstream?.cancel()
    finish(completion)
  }

  /// Inside the owner word.
  private func finish(_ completion: Completion) {
    pendingEnd = pendingEnd ?? completion
    finishIfPending()
  }

  private func finishIfPending() {
    guard !isDelivering, let completion = pendingEnd, let old = end() else { return }
    old.side?.cancel()
    old.downstream.receive(completion: completion)
  }

  /// Takes everybody out, once.
  private func end() -> (
    downstream: Downstream, upstream: (any Subscription)?, side: (any Subscription)?
  )? {
    lock.withLock {
      guard let downstream else { return nil }
      defer {
        self.downstream = nil
        upstream = nil
        side = nil
      }
      return (downstream, upstream, side)
    }
  }

  private struct SideSubscriber: Subscriber, _SelfDescribing {
    let parent: SidedSubscription

    var combineIdentifier: CombineIdentifier { parent.combineIdentifier }
    var description: String { parent.description }

    func receive(subscription: any Subscription) { parent.receive(sideSubscription: subscription) }

    func receive(_ input: Side) -> Subscribers.Demand {
      parent.receive(sideValue: input)
      return .none
    }

    func receive(completion: Subscribers.Completion<SideFailure>) {
      parent.receive(sideCompletion: completion)
    }
  }
}
