public import Synchronization

/// The state of one `zip` or `combineLatest`: what each upstream has sent, and what is made of it.
///
/// Demand goes to all upstreams alike. What a `zip` has made therefore never exceeds it; a
/// `combineLatest`, where one value can make several, counts what it may send.
@usableFromInline
final class _JoinSubscription<Downstream: Subscriber>: _OwnedSubscription {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let name: StaticString
  /// Whether each value is used once, in order, or the newest as often as needed.
  @usableFromInline let usesOnce: Bool
  /// Makes an output of what the sides have.
  @usableFromInline let make: (_JoinSubscription) -> Downstream.Input
  @usableFromInline let count: Int

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<_JoinSide> = []
  @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  /// How many sides have a value.
  @safe @exclusivity(unchecked) @usableFromInline var ready = 0
  /// Outputs made while another one was being sent.
  @safe @exclusivity(unchecked) @usableFromInline var waiting = _Queue<Downstream.Input>()
  @safe @exclusivity(unchecked) @usableFromInline var failure: Failure?
  @safe @exclusivity(unchecked) @usableFromInline var isClosed = false
  /// Whether a side is done, so that the end may have come.
  @safe @exclusivity(unchecked) @usableFromInline var isEnding = false

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ downstream: Downstream,
    usesOnce: Bool,
    count: Int,
    make: @escaping (_JoinSubscription) -> Downstream.Input
  ) {
    self.name = name
    self.downstream = downstream
    self.usesOnce = usesOnce
    self.count = count
    self.make = make
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _JoinSubscription<Downstream>.self)
      guard me.enter(noting: count) else { return }
      if !me.isDelivering { me.forward(me.takeAsked(), except: nil) }
      me.leave()
    }
    isDelivering = true  // until it has started
  }

  @usableFromInline
  override var description: String { name.description }

  /// Sends the subscription, after all sides have been subscribed.
  @inlinable
  func start() {
    owner.enter()
    downstream?.receive(subscription: self)
    isDelivering = false
    forward(takeAsked(), except: nil)
    settle()
    leave()
  }

  /// One of the sides, while there are any, borrowed.
  @inlinable @inline(__always)
  func side<Value>(_ index: Int, of type: Value.Type) -> _JoinSideOf<Value, Downstream> {
    unsafe unsafeDowncast(sides[index], to: _JoinSideOf<Value, Downstream>.self)
  }

  /// Takes up what has been asked for since the last time.
  @inlinable
  func takeAsked() -> Int {
    let count = asked.exchange(0, ordering: .acquiring)
    if !usesOnce { demand = addDemand(demand, count) }
    return count
  }

  /// Asks all sides for more, but for the one that is told so by a returned demand.
  @inlinable
  func forward(_ count: Int, except one: _JoinSide?) {
    guard count > 0 else { return }
    for side in sides where side !== one && !hasEnded { side.request(count) }
  }

  // MARK: Values

  /// Sends what the sides make now that `side` has one more value; it has not ended.
  ///
  /// - Returns: how many more values the side may send.
  @inlinable @inline(__always)
  func valueCame(from side: _JoinSide) -> Int {
    guard ready == count else { return 0 }
    if usesOnce {
      return isDelivering ? 0 : sendPairs(for: side)
    }
    guard demand > waiting.count else { return 0 }
    if isDelivering {
      waiting.append(make(self))
      return 0
    }
    return sendLatest(make(self), for: side)
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
      if isEnding { settle() }
    } while ready == count && !hasEnded
    return more
  }

  @inlinable
  func sendLatest(_ output: Downstream.Input, for side: _JoinSide) -> Int {
    var more = 0
    var next: Downstream.Input? = output
    while let output = next, !hasEnded {
      if demand != .max { demand &-= 1 }
      let asked = send(output)
      if asked > 0 {
        more = addDemand(more, asked)
        forward(asked, except: side)
      }
      next = waiting.popFirst()
    }
    if isEnding { settle() }
    return more
  }

  /// Sends an output; returns what has been asked for meanwhile, one way or the other.
  @inlinable @inline(__always)
  func send(_ output: Downstream.Input) -> Int {
    isDelivering = true
    let more = withBorrowed(&downstream) { $0.receive(output) }
    isDelivering = false
    if !usesOnce, more > 0 { demand = addDemand(demand, more) }
    return addDemand(more, asked.load(ordering: .relaxed) == 0 ? 0 : takeAsked())
  }

  // MARK: Ending

  @inlinable
  func completionCame(_ completion: Subscribers.Completion<Failure>, from side: _JoinSide) {
    owner.enter()
    if !hasEnded, !side.isDone {
      side.isDone = true
      isEnding = true
      switch completion {
      case .finished: side.subscription = nil
      case .failure(let error): failure = failure ?? error
      }
      settle()
    }
    leave()
  }

  /// Sends the end, if it has come.
  @inlinable
  func settle() {
    guard !isDelivering, failure != nil || isFinished, end() else { return }
    isDelivering = true
    close()
    downstream?.receive(completion: failure.map { .failure($0) } ?? .finished)
    isDelivering = false
  }

  /// Whether no side can make another output: one of a `zip`, all of a `combineLatest`.
  @inlinable
  var isFinished: Bool {
    usesOnce
      ? sides.contains { $0.isDone && !$0.hasValue } : sides.allSatisfy { $0.isDone }
  }

  @inlinable
  func giveUp() -> Subscribers.Demand {
    owner.enter()
    leave()
    return .none
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  func leave() {
    if hasEnded { close() }
    owner.exit {
      if !isDelivering { forward(takeAsked(), except: nil) }
      if hasEnded { close() }
    }
  }

  /// Cancels everything once, and lets go of the rest as soon as nothing is being sent.
  @usableFromInline
  func close() {
    if !isClosed {
      isClosed = true
      let sides = sides
      self.sides = []
      for side in sides { side.cancel() }
    }
    guard !isDelivering, downstream != nil else { return }
    let old = downstream
    downstream = nil
    waiting.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

/// One upstream's subscription; all of it belongs to whoever is inside the owner word.
@usableFromInline
class _JoinSide {
  @safe @exclusivity(unchecked) @usableFromInline final var subscription: (any Subscription)?
  @safe @exclusivity(unchecked) @usableFromInline final var isDone = false
  @safe @exclusivity(unchecked) @usableFromInline final var hasValue = false
  /// Asked for before there was a subscription.
  @safe @exclusivity(unchecked) @usableFromInline final var early = 0

  @inlinable
  init() {}

  @usableFromInline
  final func request(_ count: Int) {
    if let subscription {
      subscription.request(Subscribers.Demand(_count: count))
    } else if !isDone {
      early = addDemand(early, count)
    }
  }

  @usableFromInline
  final func cancel() {
    let subscription = subscription
    self.subscription = nil
    isDone = true
    subscription?.cancel()
  }
}

/// What subscribes to one of the upstreams, and keeps what it has sent.
@usableFromInline
final class _JoinSideOf<Value, Downstream: Subscriber>: _JoinSide, Subscriber, _SelfDescribing {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let parent: _JoinSubscription<Downstream>
  /// For `zip` the first value that has not been used, for `combineLatest` the newest.
  @safe @exclusivity(unchecked) @usableFromInline var value: Value?
  /// For `zip`: the values after the first.
  @safe @exclusivity(unchecked) @usableFromInline var others = _Queue<Value>()

  @inlinable
  init(_ parent: _JoinSubscription<Downstream>) { self.parent = parent }

  deinit { others.takeAll().letGo() }

  @usableFromInline
  var description: String { parent.description }

  @usableFromInline
  var _children: [Mirror.Child] { [("parentSubscription", parent.combineIdentifier)] }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.owner.enter()
    let isWanted = self.subscription == nil && !isDone && !parent.hasEnded
    let demand = early
    if isWanted {
      self.subscription = subscription
      early = 0
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
    if !parent.hasEnded, !isDone {
      if !hasValue {
        hasValue = true
        value = input
        parent.ready &+= 1
      } else if parent.usesOnce {
        others.append(input)
      } else {
        value = input
      }
      more = parent.valueCame(from: self)
    }
    parent.leave()
    return Subscribers.Demand(_count: more)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.completionCame(completion, from: self)
  }

  /// Takes the first value that has not been used; there is one.
  @inlinable @inline(__always)
  func use() -> Value {
    guard let value else { preconditionFailure("zip has no value to use") }
    if others.isEmpty {
      self.value = nil
      hasValue = false
      parent.ready &-= 1
    } else {
      self.value = others.popFirst()
    }
    return value
  }

  /// The newest value; there is one.
  @inlinable @inline(__always)
  func latest() -> Value {
    guard let value else { preconditionFailure("combineLatest has no value to use") }
    return value
  }
}
