import FlowCore

/// Pairs the values of two publishers that have the same key and come within a time of one another.
///
/// Each is asked for one value at a time, and for the next when the pairs of the one before have gone
/// out. What may still find a partner is kept, at most as many values as a stage may hold.
struct KeyedJoin: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let left: Stream
  let right: Stream
  /// In nanoseconds.
  let length: Int
  let context: any PipelineContext
  let counter: StageCounter?
  let dropped: (Int, DropReason) -> Void
  let leave: (LeftOut) -> Void
  let key: (Value) throws(PipelineFailure) -> Value

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let joining = Joining(AnySubscriber(subscriber), self)
    subscriber.receive(subscription: joining)
    left.subscribe(JoinSide(joining, .left))
    right.subscribe(JoinSide(joining, .right))
    joining.start()
  }
}

/// Used where the clock runs, as all of a running pipeline is.
private final class Joining: Subscription {
  private var downstream: AnySubscriber<Value, PipelineFailure>?
  private let join: KeyedJoin
  private let work: Work
  private let held: HeldValues
  private var demand = Subscribers.Demand.none
  /// Whether both sides are subscribed to, and whether something has been requested.
  private var isReady = false
  private var isWanted = false
  private var kept = JoinTable()
  private var upstreams: [JoinTable.Side: _HeldSubscription] = [:]
  private var ended: Set<JoinTable.Side> = []
  /// Those that are to be asked for a value.
  private var due = Fifo<JoinTable.Side>()
  /// The pairs that wait, those of one value one after the other.
  private var waiting = Fifo<JoinPairs>()
  private var isBusy = false
  /// Whether it goes on in a later turn.
  private var isPaced = false
  private var timer: (any Cancellable)?

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ join: KeyedJoin) {
    self.downstream = downstream
    self.join = join
    work = join.context.work
    held = HeldValues(of: "join", in: join.context.memoryBudget, counter: join.counter)
  }

  private var now: Int64 { join.context.clock.now.nanoseconds }

  // MARK: The upstreams

  func receive(subscription: any Subscription, from side: JoinTable.Side) {
    guard downstream != nil, upstreams[side] == nil, !ended.contains(side) else {
      return subscription.cancel()
    }
    upstreams[side] = subscription._held
    due.append(side)
  }

  /// Both sides are subscribed to; so that they take turns, none is asked before.
  func start() {
    isReady = true
    goOn()
  }

  func receive(_ value: Value, from side: JoinTable.Side) {
    guard downstream != nil, upstreams[side] != nil else { return }
    do throws(PipelineFailure) {
      try take(value, from: side)
      goOn()
    } catch {
      end(.failure(error))
    }
  }

  private func take(_ value: Value, from side: JoinTable.Side) throws(PipelineFailure) {
    dropOld()
    let key: Value
    do throws(PipelineFailure) {
      key = try join.key(value)
    } catch {
      guard let leftOut = error.leftOut(value) else { throw error }
      join.leave(leftOut)
      return due.append(side)
    }
    guard key.decoded != .null else {
      join.dropped(1, .unmatched)
      return due.append(side)
    }
    let text = Key(key.canonicalText)
    let partners = kept.match(text, of: side.other)
    try keep(value, text, of: side, isMatched: !partners.isEmpty)
    guard !partners.isEmpty else { return due.append(side) }
    work.charge(Price.collecting(partners.count))
    // Those that wait may be too old to be kept when their turn comes.
    try held.hold(partners.reduce(0) { $0 + $1.footprint })
    waiting.append(JoinPairs(value: value, side: side, partners: partners))
  }

  /// Keeps a value for the partners that are still to come.
  private func keep(
    _ value: Value,
    _ key: Key,
    of side: JoinTable.Side,
    isMatched: Bool
  ) throws(PipelineFailure) {
    guard !ended.contains(side.other) else {
      if !isMatched { join.dropped(1, .unmatched) }
      return
    }
    while kept.count >= Compiler.mostHeld, let oldest = kept.popOldest() {
      held.leave(oldest.value)
      join.dropped(1, .bufferOldest)
    }
    try held.enter(value)
    // A value that comes at the very end of the time is in time.
    let (due, overflow) = now.addingReportingOverflow(Int64(join.length) + 1)
    kept.add(
      .init(value: value, key: key, due: overflow ? .max : due, isMatched: isMatched),
      to: side
    )
    if timer == nil { startTimer() }
  }

  func receive(
    completion: Subscribers.Completion<PipelineFailure>,
    from side: JoinTable.Side
  ) {
    guard downstream != nil, ended.insert(side).inserted else { return }
    upstreams[side] = nil
    if case .failure = completion { return end(completion) }
    // What the other side has kept will find no partner any more.
    leave(kept.removeAll(of: side.other))
    endIfOver()
  }

  // MARK: The time

  private func startTimer() {
    guard let due = kept.nextDue else { return }
    let clock = join.context.clock
    let stride = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(join.length)
    timer = clock.schedule(after: .init(nanoseconds: due), interval: stride) { [weak self] in
      self?.timeIsUp()
    }
  }

  private func timeIsUp() {
    timer?.cancel()
    timer = nil
    dropOld()
    startTimer()
    endIfOver()
  }

  private func dropOld() { leave(kept.removeAll(until: now)) }

  private func leave(_ values: [JoinTable.Entry]) {
    var unmatched = 0
    for entry in values {
      held.leave(entry.value)
      if !entry.isMatched { unmatched += 1 }
    }
    if unmatched > 0 { join.dropped(unmatched, .unmatched) }
  }

  // MARK: The downstream

  /// Sends the pairs that wait, as far as there is demand, and asks for values where none waits.
  private func goOn() {
    guard isReady, isWanted, !isBusy, !isPaced else { return }
    isBusy = true
    defer { isBusy = false }
    while let downstream {
      if demand > .none, var pairs = waiting.first {
        if work.hasToWait { return goOnLater() }
        demand -= 1
        let (pair, partner) = pairs.next()
        held.release(partner.footprint)
        waiting.change(0) { $0 = pairs }
        demand += downstream.receive(pair)
        guard self.downstream != nil, pairs.isEmpty else { continue }
        _ = waiting.popFirst()
        due.append(pairs.side)
      } else if let side = due.popFirst() {
        upstreams[side]?.request(.max(1))
      } else {
        break
      }
    }
    endIfOver()
  }

  private func goOnLater() {
    isPaced = true
    work.wait { [weak self] in
      self?.isPaced = false
      self?.goOn()
    }
  }

  /// Ends it if no pair waits and none can come.
  private func endIfOver() {
    guard downstream != nil, waiting.isEmpty else { return }
    let isOver =
      ended.count == 2 || ended.contains { kept.isEmpty($0) }
    if isOver { end(.finished) }
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    let (old, upstreams) = (downstream, upstreams)
    if case .finished = completion {
      for side in [JoinTable.Side.left, .right] { leave(kept.removeAll(of: side)) }
    }
    letGo()
    for upstream in upstreams.values { upstream.cancel() }
    old?.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) {
    guard downstream != nil else { return }
    self.demand += demand
    isWanted = true
    goOn()
  }

  func cancel() {
    let upstreams = upstreams
    letGo()
    for upstream in upstreams.values { upstream.cancel() }
  }

  private func letGo() {
    downstream = nil
    upstreams = [:]
    kept = JoinTable()
    waiting.takeAll().letGo()
    due = Fifo()
    timer?.cancel()
    timer = nil
    held.clear()
  }
}

/// A value with its partners, as far as the pairs have not gone out.
private struct JoinPairs {
  let value: Value
  let side: JoinTable.Side
  let partners: [Value]
  private var place = 0

  init(value: Value, side: JoinTable.Side, partners: [Value]) {
    self.value = value
    self.side = side
    self.partners = partners
  }

  var isEmpty: Bool { place == partners.count }

  /// The next pair, of which the first is from the left, and its partner.
  mutating func next() -> (pair: Value, partner: Value) {
    defer { place += 1 }
    let partner = partners[place]
    let pair = side == .left ? [value, partner] : [partner, value]
    return (.array(JSONArray(pair)), partner)
  }
}

/// What one of the two publishers sends to the join.
private final class JoinSide: Subscriber {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let joining: Joining
  private let side: JoinTable.Side

  init(_ joining: Joining, _ side: JoinTable.Side) {
    self.joining = joining
    self.side = side
  }

  func receive(subscription: any Subscription) {
    joining.receive(subscription: subscription, from: side)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    joining.receive(input, from: side)
    return .none
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    joining.receive(completion: completion, from: side)
  }
}
