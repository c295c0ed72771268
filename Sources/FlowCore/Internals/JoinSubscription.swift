/// The state of one `zip` or `combineLatest`: what each upstream has sent, and what is made of it.
///
/// Demand goes to all upstreams alike. What a `zip` has made therefore never exceeds it; a
/// `combineLatest`, where one value can make several, counts what it may send. A value that arrives
/// at a `combineLatest` without demand is sent with the next request, unless a newer one replaces it;
/// the end waits for it.
@usableFromInline
final class _JoinSubscription<Downstream: Subscriber>: _OwnedSubscription, _Answering {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let name: StaticString
  /// Whether each value is used once, in order, or the newest as often as needed.
  @usableFromInline let usesOnce: Bool
  /// Makes an output of what the sides have.
  @usableFromInline let make: (_JoinSubscription) -> Downstream.Input
  @usableFromInline let count: Int

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var sides: ContiguousArray<_JoinSide> = []
    /// How many sides have a value.
    @usableFromInline var ready = 0
    /// How many outputs have been made.
    @usableFromInline var made = 0
    /// Whether a `combineLatest` has a value that is in no output yet, for lack of demand.
    @usableFromInline var isBehind = false
    /// Outputs made while another one was being sent.
    @usableFromInline var waiting = Fifo<Downstream.Input>()
    @usableFromInline var isClosed = false
    /// Whether a side is done, so that the end may have come.
    @usableFromInline var isEnding = false
    @usableFromInline var failure: Failure?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }
  }

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ downstream: Downstream,
    usesOnce: Bool,
    count: Int,
    make: @escaping (_JoinSubscription) -> Downstream.Input
  ) {
    self.name = name
    state = State(downstream)
    self.usesOnce = usesOnce
    self.count = count
    self.make = make
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _JoinSubscription<Downstream>.self)
      guard me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
    delivery.isUnderWay = true  // until it has started
  }

  @usableFromInline
  override var description: String { name.description }

  /// Sends the subscription, after all sides have been subscribed.
  @inlinable
  func start() {
    owner.enter()
    state.downstream?.receive(subscription: self)
    delivery.isUnderWay = false
    answer()
    settle()
    leave()
  }

  /// One of the sides, while there are any, borrowed.
  @inlinable @inline(__always)
  func side<Value>(_ index: Int, of type: Value.Type) -> _JoinSideOf<Value, Downstream> {
    unsafe unsafeDowncast(state.sides[index], to: _JoinSideOf<Value, Downstream>.self)
  }

  /// Takes up what has been asked for since the last time.
  @inlinable
  func takeUp() -> Int {
    let count = takeAsked()
    if !usesOnce { delivery.demand = addDemand(delivery.demand, count) }
    return count
  }

  /// Asks all sides for more, but for the one that is told so by a returned demand.
  @inlinable
  func forward(_ count: Int, except one: _JoinSide?) {
    guard count > 0 else { return }
    for side in state.sides where side !== one && !hasEnded { side.request(count) }
  }

  // MARK: Values

  /// Sends what the sides make now that `side` has one more value; it has not ended.
  ///
  /// - Returns: how many more values the side may send.
  @inlinable @inline(__always)
  func valueCame(from side: _JoinSide) -> Int {
    guard state.ready == count else { return 0 }
    if usesOnce {
      return delivery.isUnderWay ? 0 : sendPairs(for: side)
    }
    guard delivery.demand > state.waiting.count else {
      state.isBehind = true
      return 0
    }
    if delivery.isUnderWay {
      state.waiting.append(makeLatest())
      return 0
    }
    return sendLatest(for: side)
  }

  @inlinable @inline(__always)
  func makeLatest() -> Downstream.Input {
    state.made &+= 1
    state.isBehind = false
    return make(self)
  }

  @inlinable
  func sendPairs(for side: _JoinSide) -> Int {
    var more = 0
    repeat {
      let asked = send(make(self))
      if asked > 0 {
        more = addDemand(more, asked)
        forward(asked, except: side)
      }
      if state.isEnding { settle() }
    } while state.ready == count && !hasEnded
    return more
  }

  /// Sends an output of the newest values, then those that are made while it is being sent.
  ///
  /// - Returns: how many more values `side` may send; the other sides are asked for as many here.
  @inlinable
  func sendLatest(for side: _JoinSide?) -> Int {
    var more = 0
    var next: Downstream.Input? = makeLatest()
    while let output = next, !hasEnded {
      if delivery.demand != .max { delivery.demand &-= 1 }
      let asked = send(output)
      if asked > 0 {
        more = addDemand(more, asked)
        forward(asked, except: side)
      }
      next = state.waiting.popFirst()
      if case .none = next, state.isBehind, delivery.demand > 0, !hasEnded { next = makeLatest() }
    }
    if state.isEnding { settle() }
    return more
  }

  /// Sends an output; returns what has been asked for meanwhile, one way or the other.
  @inlinable @inline(__always)
  func send(_ output: Downstream.Input) -> Int {
    delivery.isUnderWay = true
    let more = withBorrowed(&state.downstream) { $0.receive(output) }
    delivery.isUnderWay = false
    if !usesOnce, more > 0 { delivery.demand = addDemand(delivery.demand, more) }
    return addDemand(more, takeUp())
  }

  // MARK: Ending

  @inlinable
  func completionCame(_ completion: Subscribers.Completion<Failure>, from side: _JoinSide) {
    owner.enter()
    if !hasEnded, !side.state.isDone {
      side.state.isDone = true
      side.endUpstream()
      state.isEnding = true
      switch completion {
      case .finished: break
      case .failure(let error): state.failure = state.failure ?? error
      }
      settle()
    }
    leave()
  }

  /// Sends the end, if it has come.
  @inlinable
  func settle() {
    guard !delivery.isUnderWay, state.failure != nil || isFinished, end() else { return }
    delivery.isUnderWay = true
    if state.isBehind { for side in state.sides { side.dropUnseen(by: state.made) } }
    close()
    state.downstream?.receive(completion: state.failure.map { .failure($0) } ?? .finished)
    delivery.isUnderWay = false
  }

  /// Whether no other output can be made: one side of a `zip` has ended and its values are used, or
  /// all sides of a `combineLatest` have ended and their newest values are sent.
  @inlinable
  var isFinished: Bool {
    usesOnce
      ? state.sides.contains { $0.state.isDone && !$0.state.hasValue }
      : !state.isBehind && state.sides.allSatisfy { $0.state.isDone }
  }

  @inlinable
  func giveUp() -> Subscribers.Demand {
    owner.enter()
    leave()
    return .none
  }

  /// Takes up new demand: sends the output that waited for it, if any, and asks all upstreams.
  @inlinable @inline(__always)
  func answer() {
    guard !delivery.isUnderWay else { return }
    let count = takeUp()
    if state.isBehind, delivery.demand > 0, !hasEnded { _ = sendLatest(for: nil) }
    forward(count, except: nil)
  }

  /// Cancels everything once, and lets go of the rest as soon as nothing is being sent.
  @inlinable
  func close() {
    if !state.isClosed {
      state.isClosed = true
      let sides = state.sides
      state.sides = []
      for side in sides { side.cancel() }
    }
    guard !delivery.isUnderWay, state.downstream != nil else { return }
    let old = state.downstream
    state.downstream = nil
    state.waiting.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

/// One upstream's subscription; all of it belongs to whoever is inside the owner word.
@usableFromInline
class _JoinSide: _OwnedLink {
  @safe @exclusivity(unchecked) @usableFromInline final var state = State()

  @usableFromInline
  struct State {
    /// Asked for before there was a subscription.
    @usableFromInline var early = 0
    @usableFromInline var isDone = false
    @usableFromInline var hasValue = false
    /// How many outputs had been made when the newest value came.
    @usableFromInline var cameAfter = 0

    @inlinable init() {}
  }

  /// Calls `onDrop` with the newest value if none of the `made` outputs contains it.
  @usableFromInline
  func dropUnseen(by made: Int) {}

  @inlinable @inline(__always)
  final func request(_ count: Int) {
    if hasUpstream { return askUpstream(count) }
    if !state.isDone { state.early = addDemand(state.early, count) }
  }

  @inlinable
  final func cancel() {
    state.isDone = true
    cancelUpstream()
  }
}

/// What subscribes to one of the upstreams, and keeps what it has sent.
@usableFromInline
final class _JoinSideOf<Value, Downstream: Subscriber>: _JoinSide, Subscriber, _SelfDescribing {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let parent: _JoinSubscription<Downstream>
  @usableFromInline let onDrop: ((Value) -> Void)?
  @safe @exclusivity(unchecked) @usableFromInline var values = Values()

  @usableFromInline
  struct Values {
    /// For `zip`: the values after the first.
    @usableFromInline var others = Fifo<Value>()
    /// For `zip` the first value that has not been used, for `combineLatest` the newest.
    @usableFromInline var first: Value?

    @inlinable init() {}
  }

  @inlinable
  init(_ parent: _JoinSubscription<Downstream>, onDrop: ((Value) -> Void)? = nil) {
    self.parent = parent
    self.onDrop = onDrop
  }

  deinit { values.others.takeAll().letGo() }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = !hasUpstream && !state.isDone && !parent.hasEnded
    let demand = state.early
    if isWanted {
      keepUpstream(subscription)
      state.early = 0
    }
    parent.leave()
    if !isWanted { return subscription.cancel() }
    if demand > 0 { subscription.request(Subscribers.Demand(_count: demand)) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Value) -> Subscribers.Demand {
    if parent.hasEnded { return parent.giveUp() }
    parent.owner.enter()
    var more = 0
    if !parent.hasEnded, !state.isDone {
      if !state.hasValue {
        state.hasValue = true
        values.first = input
        parent.state.ready &+= 1
      } else if parent.usesOnce {
        values.others.append(input)
      } else {
        // Until every side has a value no output can be made, so nothing is missed.
        if parent.state.ready == parent.count { dropUnseen(by: parent.state.made) }
        values.first = input
      }
      state.cameAfter = parent.state.made
      more = parent.valueCame(from: self)
    }
    parent.leave()
    return Subscribers.Demand(_count: more)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.completionCame(completion, from: self)
  }

  @inlinable
  override func dropUnseen(by made: Int) {
    if let onDrop, state.cameAfter == made, let value = values.first { onDrop(value) }
  }

  /// Takes the first value that has not been used; there is one.
  @inlinable @inline(__always)
  func use() -> Value {
    guard let value = values.first else { preconditionFailure("zip has no value to use") }
    if values.others.isEmpty {
      self.values.first = nil
      state.hasValue = false
      parent.state.ready &-= 1
    } else {
      self.values.first = values.others.popFirst()
    }
    return value
  }

  /// The newest value; there is one.
  @inlinable @inline(__always)
  func latest() -> Value {
    guard let value = values.first else { preconditionFailure("combineLatest has no value to use") }
    return value
  }
}
