import FlowCore

/// One subscription to a publisher for all who subscribe to this: `share` and `share(replay:)`.
///
/// It begins with the first subscriber and is cancelled with the last, as FlowCore's. Beside that it
/// tells each subscriber what it has missed, and hands on payloads.
///
/// Used where the clock runs, as all of a running pipeline is.
final class SharedPublisher {
  private let upstream: Stream
  private let memoryBudget: MemoryBudget
  /// What its upstream takes in memory, charged as long as that runs.
  private let price: Int
  /// How many values are kept for those who come later or are slow.
  ///
  /// Without it nothing is asked for before somebody asks.
  private let replay: Int?
  private var connection: Connection?
  /// Whether anybody has ever asked for a value.
  private var isWanted = false
  /// Those who subscribe, in order; who leaves while something is sent is taken out afterwards.
  private var links: ContiguousArray<Link> = []
  var hasLeavers = false
  /// How many deliveries are under way, one inside another.
  private var sending = 0
  /// How many values have come from the present subscription.
  private(set) var count = 0
  private var kept: KeptValues?
  private var end: Subscribers.Completion<PipelineFailure>?

  init(_ upstream: Stream, replay: Int?, memoryBudget: MemoryBudget, price: Int = 0) {
    self.upstream = upstream
    self.replay = replay
    self.memoryBudget = memoryBudget
    self.price = price
  }

  /// Makes the publisher for a subscriber, who is told through `dropped` what he misses, and through `leave`
  /// which values were left out before they came here.
  func publisher(
    _ dropped: @escaping (Int, DropReason) -> Void,
    leave: @escaping (LeftOut) -> Void
  ) -> Stream {
    Subscribing(sharing: self, dropped: dropped, leave: leave).eraseToAnyPublisher()
  }

  private struct Subscribing: Publisher {
    typealias Output = Value
    typealias Failure = PipelineFailure

    let sharing: SharedPublisher
    let dropped: (Int, DropReason) -> Void
    let leave: (LeftOut) -> Void

    func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == PipelineFailure {
      sharing.attach(Link(sharing, AnySubscriber(subscriber), dropped, leave))
    }
  }

  // MARK: Who subscribes

  /// How many of the last values may still be sent.
  var most: Int { replay ?? 0 }

  /// The number of the newest value that can no longer be sent.
  private var lastGone: Int { count - (kept?.values.count ?? 0) }

  private func attach(_ link: Link) {
    link.last = max(0, count - most)
    if end == nil { links.append(link) }
    link.begin()
    if end != nil {
      catchUp(link)
      return tidy()
    }
    guard connection == nil, !links.allSatisfy(\.isOver) else { return }
    let new = Connection(self)
    connection = new
    memoryBudget.charge(price)
    count = 0
    for link in links { link.last = 0 }
    kept = most > 0 ? KeptValues(most, HeldValues(of: "share", in: memoryBudget)) : nil
    upstream.subscribe(new)
  }

  /// A subscriber has asked for more.
  func serve(_ link: Link) {
    if end == nil, !isWanted {
      isWanted = true
      connection?.requestAll()
    }
    if replay != nil { catchUp(link) }
    tidy()
  }

  func left() {
    tidy()
    guard let connection, links.allSatisfy(\.isOver) else { return }
    disconnect()
    kept = nil
    connection.cancel()
  }

  private func disconnect() {
    guard connection != nil else { return }
    connection = nil
    memoryBudget.release(price)
  }

  private func tidy() {
    guard hasLeavers, sending == 0 else { return }
    hasLeavers = false
    links.removeAll(where: \.isOver)
  }

  /// Does something for each who subscribes now.
  @inline(__always)
  private func forEachLink(_ body: (Link) -> Void) {
    sending += 1
    for index in 0..<links.count { body(links[index]) }
    sending -= 1
    tidy()
  }

  // MARK: What comes

  /// Tells all who subscribe that a value was left out before it came here.
  func leaveOut(_ leftOut: LeftOut) { forEachLink { $0.leaveOut(leftOut) } }

  private func receive(_ value: Value) {
    guard kept != nil else {
      count += 1
      return forEachLink { $0.send(value, count) }
    }
    guard keep(value) else { return }
    count += 1
    forEachLink(catchUp)
    if sending == 0 { forgetOldest() }
  }

  /// Forgets what is too old to be sent; who has not asked for it has missed it.
  private func forgetOldest() {
    guard let kept else { return }
    kept.trim()
    forEachLink { $0.goOn(to: lastGone) }
  }

  /// Keeps a value; ends if there is no place for it.
  private func keep(_ value: Value) -> Bool {
    do throws(PipelineFailure) {
      try kept?.append(value)
      return true
    } catch {
      connection?.cancel()
      receive(completion: .failure(error))
      return false
    }
  }

  private func receive(_ payload: UnsafeRawBufferPointer) {
    guard kept == nil else { return unsafe receive(Value(bytes: payload)) }
    count += 1
    var value: Value?
    forEachLink { link in
      if link.receiver != nil { return unsafe link.send(payload, count) }
      guard link.demand > 0 else { return link.miss(1) }
      let made = unsafe value ?? Value(bytes: payload)
      value = made
      link.send(made, count)
    }
  }

  /// Payloads may come together where all who subscribe take payloads, as long as one of them stays.
  private func room(for largest: Int) -> Int {
    guard sending == 0, kept?.hasRoom(for: largest) ?? true else { return 0 }
    var most = 0
    for link in links {
      guard let room = link.room(for: largest) else { return 0 }
      most = max(most, room)
    }
    return most
  }

  /// Takes payloads together, of which only the last need be kept for those who have no demand.
  ///
  /// Who has some has been sent all that there was before.
  private func receive(_ payloads: Payloads) {
    let before = count
    forEachLink { $0.send(payloads, after: before) }
    count = before + payloads.places.count
    guard kept != nil else { return }
    for place in payloads.places.suffix(most) {
      guard unsafe keep(Value(bytes: payloads[place])) else { return }
    }
    forgetOldest()
    forEachLink(catchUp)
  }

  private func receive(completion: Subscribers.Completion<PipelineFailure>) {
    disconnect()
    end = completion
    forEachLink(catchUp)
  }

  /// Sends a subscriber what is kept for it, as far as it has asked, and then the end.
  private func catchUp(_ link: Link) {
    if let kept {
      guard link.takeTurn() else { return }
      while link.demand > 0, case let last = max(link.last, lastGone), last < count {
        link.send(kept.values[last - lastGone], last + 1)
      }
      link.isServed = false
      guard max(link.last, lastGone) == count else { return }
    }
    if let end { link.finish(end, count) }
  }

  /// There is one way to it; where those lead who subscribe has to be looked at.
  private func isOnlyWay(in search: Int) -> Bool {
    links.allSatisfy { $0.isOver || $0.isOnlyWay(in: search) }
  }
}

extension SharedPublisher {
  /// The subscription to what is shared.
  private final class Connection: Subscriber, PayloadReceiver {
    typealias Input = Value
    typealias Failure = PipelineFailure

    /// `nil` once it is over.
    private var sharing: SharedPublisher?
    private var subscription: _HeldSubscription?

    init(_ sharing: SharedPublisher) { self.sharing = sharing }

    func receive(subscription: any Subscription) {
      guard let sharing, self.subscription == nil else { return subscription.cancel() }
      self.subscription = subscription._held
      subscription.mayHandPayloads(to: self)
      if sharing.replay != nil || sharing.isWanted { requestAll() }
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      sharing?.receive(input)
      return .none
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      let old = sharing
      sharing = nil
      subscription = nil
      old?.receive(completion: completion)
    }

    func room(for largest: Int) -> Int { sharing?.room(for: largest) ?? 0 }

    func receive(_ payloads: Payloads) -> Subscribers.Demand {
      sharing?.receive(payloads)
      return .none
    }

    func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
      unsafe sharing?.receive(payload)
      return .none
    }

    /// All who subscribe are reached by it, and others may lead to them.
    var reach: PayloadReach { .shared }

    func isOnlyWay(in search: Int) -> Bool { sharing?.isOnlyWay(in: search) ?? false }

    func requestAll() { subscription?.request(.unlimited) }

    func cancel() {
      let old = subscription
      sharing = nil
      subscription = nil
      old?.cancel()
    }
  }
}

/// The last values of a `share(replay:)`, and what they take.
private final class KeptValues {
  private let most: Int
  private let held: HeldValues
  private(set) var values = Fifo<Value>()

  init(_ most: Int, _ held: HeldValues) {
    self.most = most
    self.held = held
  }

  deinit { values.takeAll().letGo() }

  /// Whether there is a place for payloads of so many bytes, however many come.
  func hasRoom(for largest: Int) -> Bool { held.hasRoom(for: most * (Self.header + largest)) }

  /// About what a value takes besides its text.
  private static let header = 64

  /// Keeps one more; the oldest beyond as many as may be is kept no longer, but until `trim`.
  func append(_ value: Value) throws(PipelineFailure) {
    if values.count >= most { held.release(values[values.count - most].footprint) }
    try held.hold(value.footprint)
    values.append(value)
  }

  /// Forgets those that are too old; not while values are sent, so that none is missed for another.
  func trim() {
    while values.count > most { _ = values.popFirst() }
  }
}
