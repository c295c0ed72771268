import Dispatch
import FlowRemote
import FlowTransport
import FlowWire

/// The clients of a bench and what they have found out, from the first connection to the last.
///
/// All of it belongs to the loop's queue, which makes it safe to share; `start`, `stop` and
/// `report` come from elsewhere.
final class BenchRun: @unchecked Sendable {
  enum Phase {
    /// Connections are being made.
    case opening
    case running
    /// Nothing more is published; what is on its way is awaited.
    case draining
    /// Each subscription is asked for its last word.
    case fencing
    case ended
  }

  private static let patienceForConnections: UInt64 = 30_000_000_000
  private static let patienceForValues: UInt64 = 2_000_000_000
  private static let patienceForAnswers: UInt64 = 10_000_000_000

  let request: BenchRequest
  let subject: String
  let token: String?
  let server: String
  let loop = EventLoop(label: "flowclient.bench", platform: SystemPlatform.shared)
  let clock = BenchClock()
  let batch = ValueBatch()
  let frames: BenchFrames
  let progress: BenchProgress
  /// Told when all is measured, or why nothing could be.
  let outcome = Outcome(on: SystemPlatform.shared)
  /// The publishers are the senders from this one on.
  let firstSender: UInt32
  /// Whose values count; of a `sub` everybody's.
  let senders: Range<UInt32>

  private(set) var publishers: [BenchPublisher] = []
  private(set) var subscribers: [BenchSubscriber] = []
  private(set) var phase = Phase.opening
  private(set) var pacing: Pacing?
  /// How many values were due when last looked.
  private var paced: UInt64 = 0
  private var ready = 0
  /// Subscribers that still wait for values, or for their last word.
  private var awaited = 0
  private var publishing = 0
  /// Publishers that have had their turn and could go on.
  private var waiting: [BenchPublisher] = []
  /// When the phase ends if nothing happens, or, running, whatever happens.
  private var deadline: UInt64?
  private var nextWake: UInt64?

  private(set) var tally = BenchTally()
  private var processorTime = 0.0

  init(_ request: BenchRequest, server: String, subject: String, token: String?) {
    (self.request, self.server, self.subject, self.token) = (request, server, subject, token)
    frames = BenchFrames(id: BenchClient.stream, size: request.size)
    progress = BenchProgress(request)
    let count = UInt32(request.publishers)
    firstSender = .random(in: 0..<BenchValue.mostSenders - count)
    senders = count > 0 ? firstSender..<firstSender + count : 0..<BenchValue.mostSenders
    loop.turnWillEnd = { [unowned self] in tick() }
    loop.nextDeadline = { [unowned self] in nextDeadline }
  }

  /// Whether what is measured now counts; afterwards nobody is slow on purpose.
  var isMeasuring: Bool {
    switch phase {
    case .opening, .running: true
    case .draining, .fencing, .ended: false
    }
  }

  var isFencing: Bool { if case .fencing = phase { true } else { false } }

  /// How many values were sent, once there will be no more.
  var allSent: UInt64? {
    if case .draining = phase { tally.sent } else { nil }
  }

  // MARK: Opening

  /// Makes all connections; the loop goes on from there.
  func start(to address: SocketAddress) {
    loop.post { [self] in
      guard case .opening = phase else { return }
      deadline = clock.now + Self.patienceForConnections
      publishers = (0..<request.publishers).map { BenchPublisher(self, index: $0) }
      let fast = request.subscribers - request.slow
      subscribers = (0..<request.subscribers).map { BenchSubscriber(self, isSlow: $0 >= fast) }
      let dialer = BenchDialer(address: address, count: request.publishers + request.subscribers)
      dialer.start { [self] index, result in loop.post { self.dialed(index, result) } }
    }
  }

  private func dialed(_ index: Int, _ result: Result<ConnectedSocket, TransportError>) {
    switch result {
    case .success(let socket):
      let isSubscriber = index < subscribers.count
      let client =
        isSubscriber ? subscribers[index] : publishers[index - subscribers.count] as BenchClient
      let connection = loop.register(socket, handler: client)
      guard case .opening = phase else { return connection.close() }
      client.attach(connection)
    case .failure(let error):
      fail(ClientError(connecting: .unreachable(error.message), to: server))
    }
  }

  func becameReady() {
    guard case .opening = phase else { return }
    ready += 1
    progress.open(ready)
    if ready == publishers.count + subscribers.count { begin() }
  }

  private func begin() {
    phase = .running
    let now = clock.now
    deadline = nil
    awaited = subscribers.count
    publishing = publishers.count
    processorTime = BenchClock.processorTime
    if request.form.publishes { startMeasuring(at: now) }
    if let rate = request.rate, !publishers.isEmpty {
      pacing = Pacing(start: now, senders: publishers.count, rate: rate)
    }
    for publisher in publishers { publish(publisher) }
  }

  private func startMeasuring(at now: UInt64) {
    tally.start = now
    progress.start(now)
    if case .time(let length) = request.length { deadline = now + UInt64(length.inNanoseconds) }
  }

  // MARK: Publishing

  /// Lets a publisher send what is due and granted.
  func publish(_ publisher: BenchPublisher) {
    guard case .running = phase else { return }
    let before = publisher.sent
    var limit = UInt64.max
    if case .values(let count) = request.length { limit = count }
    let due = pacing.map { $0.share(of: publisher.index, in: paced) } ?? limit
    let mayResume = publisher.publish(upTo: min(limit, due))
    tally.sent += publisher.sent - before
    if publisher.sent == limit { return publisher.finish() }
    if mayResume { resume(publisher) }
  }

  /// In a turn of its own, so that what has come is read in between.
  private func resume(_ publisher: BenchPublisher) {
    waiting.append(publisher)
    guard waiting.count == 1 else { return }
    loop.post { [self] in
      let publishers = waiting
      waiting.removeAll(keepingCapacity: true)
      for publisher in publishers { publish(publisher) }
    }
  }

  private func pace(at now: UInt64) {
    guard let pacing else { return }
    let due = pacing.count(at: now)
    guard due > paced else { return }
    let first = paced
    paced = due
    // Each has its turn once, however many of its values have become due.
    let count = min(due - first, UInt64(publishers.count))
    for number in first..<first + count {
      publish(publishers[Int(number % UInt64(publishers.count))])
    }
  }

  /// All that a publisher has sent was taken, or it is gone.
  func finished(_ publisher: BenchPublisher) {
    guard case .running = phase else { return }
    publishing -= 1
    tally.lastSent = clock.now
    if publishing == 0 { drain() }
  }

  // MARK: Receiving

  func add(_ count: UInt64, due: BenchTime, lateness: UInt64, at now: BenchTime) {
    if count > 0 { tally.add(count, latency: now.since(due), lateness: lateness) }
  }

  func received(_ count: UInt64, at now: UInt64) {
    guard count > 0 else { return }
    if tally.start == nil { startMeasuring(at: now) }
    tally.received += count
    tally.lastReceived = now
  }

  func sleeps(until time: UInt64) {
    nextWake = min(time, nextWake ?? time)
  }

  private func wakeSleepers(at now: UInt64) {
    nextWake = nil
    for subscriber in subscribers.suffix(request.slow) {
      subscriber.wake(at: now)
      if let time = subscriber.wakes { sleeps(until: time) }
    }
  }

  // MARK: The end

  /// Ends it before its time.
  func stop() {
    loop.post { [self] in
      switch phase {
      case .opening: end()
      case .running: stopPublishing()
      case .draining: fence()
      case .fencing, .ended: break
      }
    }
  }

  private func stopPublishing() {
    deadline = clock.now + Self.patienceForAnswers
    isStopped = true
    if publishing == 0 { return fence() }
    for publisher in publishers { publisher.finish() }
  }

  /// Whether publishing was ended by the clock or from outside.
  private var isStopped = false

  private func drain() {
    guard awaited > 0 else { return end() }
    phase = .draining
    deadline = clock.now + Self.patienceForValues
    wakeSleepers(at: clock.now)
    for subscriber in subscribers { subscriber.checkCompletion() }
  }

  /// A subscriber has all that it waits for.
  func completed(_ subscriber: BenchSubscriber) {
    awaited -= 1
    guard awaited == 0 else { return }
    switch phase {
    case .running where request.form == .sub, .draining: fence()
    case .running: stopPublishing()
    case .opening, .fencing, .ended: break
    }
  }

  private func fence() {
    phase = .fencing
    awaited = subscribers.count
    deadline = clock.now + Self.patienceForAnswers
    wakeSleepers(at: clock.now)
    for subscriber in subscribers { subscriber.fence() }
  }

  func fenced(_ subscriber: BenchSubscriber) {
    awaited -= 1
    if awaited == 0 { end() }
  }

  private func end() {
    if case .ended = phase { return }
    phase = .ended
    deadline = nil
    tally.processorTime = BenchClock.processorTime - processorTime
    outcome.settle(.success(.done))
  }

  private func fail(_ error: ClientError) {
    if case .ended = phase { return }
    phase = .ended
    outcome.settle(.failure(error))
  }

  /// A client's stream failed, while its connection goes on.
  func failed(_ error: RemoteError) {
    if case .opening = phase { return fail(ClientError(error)) }
    tally.failures[error.description, default: 0] += 1
  }

  /// A client is gone before its time.
  func left(_ client: BenchClient, _ error: RemoteError) {
    switch phase {
    case .opening: fail(ClientError(error))
    case .ended: break
    case .running, .draining, .fencing:
      tally.failures[error.description, default: 0] += 1
      tally.gone += 1
      if tally.gone == publishers.count + subscribers.count {
        tally.fatal = ClientError(error)
        end()
      }
    }
  }

  // MARK: Time

  private var nextDeadline: UInt64? {
    if case .ended = phase { return nil }
    var next = deadline
    if case .running = phase {
      if let pacing, !isStopped { next = min(pacing.due(paced), next ?? .max) }
      if let nextWake { next = min(nextWake, next ?? .max) }
    }
    return next.map(clock.loopTime)
  }

  private func tick() {
    progress.update(sent: tally.sent, received: tally.received)
    let now = clock.now
    if case .running = phase {
      if let nextWake, nextWake <= now { wakeSleepers(at: now) }
      if !isStopped { pace(at: now) }
    }
    guard let deadline, deadline <= now else { return }
    switch phase {
    case .opening:
      let all = publishers.count + subscribers.count
      fail(ClientError(.unreachable, "only \(ready) of \(all) connections were open after 30 s"))
    case .running: if isStopped { drain() } else { stopPublishing() }
    case .draining:
      // What came in the meantime gives it more time.
      let last = (tally.lastReceived ?? 0) + Self.patienceForValues
      if last > now { self.deadline = last } else { fence() }
    case .fencing, .ended: end()
    }
  }
}

extension BenchRun {
  /// What was found out; not on the loop's queue.
  func report() -> BenchReport {
    loop.queue.sync {
      if tally.start != nil { end() }
      return BenchReport(request, tally, publishers, subscribers)
    }
  }

  /// Why there was nothing left to measure; not on the loop's queue.
  var fatal: ClientError? { loop.queue.sync { tally.fatal } }
}
