import Dispatch
import FlowRemote
import FlowTransport
import FlowWire

/// The clients of a bench and their measurements.
///
/// Unchecked: it is used on the loop's queue, except `start`, `stop` and `report`.
final class BenchRun: @unchecked Sendable {
  let request: BenchRequest
  let target: BenchTarget
  let loop = EventLoop(label: "flowclient.bench", platform: SystemPlatform.shared)
  let clock = BenchClock()
  let batch = ValueBatch()
  let frames: BenchFrames
  let progress: BenchProgress
  /// Settled with the end of the measurement, or with the reason why nothing could be measured.
  let outcome = Outcome<ExitCode>(on: SystemPlatform.shared)
  /// The numbers of the senders that count: the publishers, or for `sub` all senders.
  let senders: Range<UInt32>

  private(set) var publishers: [BenchPublisher] = []
  private(set) var subscribers: [BenchSubscriber] = []
  var schedule = BenchSchedule()
  private(set) var pacing: Pacing?
  private var ready = 0
  /// Subscribers that wait for values or for the answer to the fence.
  private var awaited = 0
  private var publishing = 0
  /// Publishers that used up their turn and could continue.
  private var waiting: [BenchPublisher] = []
  private(set) var tally = BenchTally()

  init(_ request: BenchRequest, _ target: BenchTarget) {
    (self.request, self.target) = (request, target)
    frames = BenchFrames(id: BenchClient.stream, size: request.size)
    progress = BenchProgress(request)
    let count = UInt32(request.publishers)
    let first = UInt32.random(in: 0..<BenchValue.mostSenders - count)
    senders = count > 0 ? first..<first + count : 0..<BenchValue.mostSenders
    loop.turnWillEnd = { [unowned self] in tick() }
    loop.nextDeadline = { [unowned self] in schedule.next(pacing).map(clock.loopTime) }
  }

  /// Whether measurements count; afterwards slow subscribers read at full speed.
  var isMeasuring: Bool {
    switch schedule.phase {
    case .opening, .running: true
    case .draining, .fencing, .ended: false
    }
  }

  var isFencing: Bool { schedule.phase == .fencing }

  /// The number of values sent, once no more will be.
  var allSent: UInt64? { schedule.phase == .draining ? tally.sent : nil }

  // MARK: Opening

  /// Opens all connections; the loop does the rest.
  func start(to address: SocketAddress) {
    loop.post { [self] in
      guard schedule.phase == .opening else { return }
      schedule.extend(from: clock.now)
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
      guard schedule.phase == .opening else { return connection.close() }
      client.attach(connection)
    case .failure(let error):
      fail(ClientError(connecting: .unreachable(error.message), to: target.server))
    }
  }

  func becameReady() {
    guard schedule.phase == .opening else { return }
    ready += 1
    progress.update { $0.opened = ready }
    if ready == publishers.count + subscribers.count { begin() }
  }

  private func begin() {
    let now = clock.now
    schedule.enter(.running, at: now)
    awaited = subscribers.count
    publishing = publishers.count
    tally.processorStart = BenchClock.processorTime
    if request.form.publishes { startMeasuring(at: now) }
    if let rate = request.rate, !publishers.isEmpty {
      pacing = Pacing(start: now, senders: publishers.count, rate: rate)
    }
    for publisher in publishers { publish(publisher) }
  }

  private func startMeasuring(at now: UInt64) {
    tally.start = now
    progress.update { $0.start = now }
    if case .time(let length) = request.length {
      schedule.run(until: now + UInt64(length.inNanoseconds))
    }
  }

  // MARK: Publishing

  /// Lets a publisher send the values that are due and granted.
  func publish(_ publisher: BenchPublisher) {
    guard schedule.phase == .running else { return }
    let before = publisher.sent
    var limit = UInt64.max
    if case .values(let count) = request.length { limit = count }
    let due = pacing.map { $0.share(of: publisher.index, in: $0.passed) } ?? limit
    let mayResume = publisher.publish(upTo: min(limit, due))
    tally.sent += publisher.sent - before
    if publisher.sent == limit { return publisher.finish() }
    if mayResume { resume(publisher) }
  }

  /// Resumes a publisher in a turn of its own, so that input is read in between.
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
    guard let due = pacing?.advance(to: now) else { return }
    // Gives each publisher one turn, however many values are due.
    for number in due.prefix(publishers.count) {
      publish(publishers[Int(number % UInt64(publishers.count))])
    }
  }

  /// Handles a publisher whose values were all taken, or that is gone.
  func finished(_ publisher: BenchPublisher) {
    guard schedule.phase == .running else { return }
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

  private func wakeSleepers(at now: UInt64) {
    for subscriber in subscribers.suffix(request.slow) {
      subscriber.wake(at: now)
      if let time = subscriber.wakes { schedule.sleeps(until: time) }
    }
  }

  // MARK: The end

  func stop() {
    loop.post { [self] in
      switch schedule.phase {
      case .opening: end()
      case .running: stopPublishing()
      case .draining: fence()
      case .fencing, .ended: break
      }
    }
  }

  private func stopPublishing() {
    schedule.stop(at: clock.now)
    if publishing == 0 { return fence() }
    for publisher in publishers { publisher.finish() }
  }

  private func drain() {
    guard awaited > 0 else { return end() }
    schedule.enter(.draining, at: clock.now)
    wakeSleepers(at: clock.now)
    for subscriber in subscribers { subscriber.checkCompletion() }
  }

  /// Handles a subscriber that has everything it waits for.
  func completed(_ subscriber: BenchSubscriber) {
    awaited -= 1
    guard awaited == 0 else { return }
    switch schedule.phase {
    case .running where request.form == .sub, .draining: fence()
    case .running: stopPublishing()
    case .opening, .fencing, .ended: break
    }
  }

  private func fence() {
    schedule.enter(.fencing, at: clock.now)
    awaited = subscribers.count
    wakeSleepers(at: clock.now)
    for subscriber in subscribers { subscriber.fence() }
  }

  func fenced(_ subscriber: BenchSubscriber) {
    awaited -= 1
    if awaited == 0 { end() }
  }

  private func end() {
    if schedule.phase == .ended { return }
    schedule.enter(.ended, at: clock.now)
    tally.processorTime = BenchClock.processorTime - tally.processorStart
    outcome.settle(.success(.done))
  }

  private func fail(_ error: ClientError) {
    if schedule.phase == .ended { return }
    schedule.enter(.ended, at: clock.now)
    outcome.settle(.failure(error))
  }

  /// Records that a client's stream failed although its connection is open.
  func failed(_ error: RemoteError) {
    if schedule.phase == .opening { return fail(ClientError(error)) }
    tally.failures[error.description, default: 0] += 1
  }

  /// Handles a client that ended early.
  func left(_ client: BenchClient, _ error: RemoteError) {
    switch schedule.phase {
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

  private func tick() {
    progress.update { ($0.sent, $0.received) = (tally.sent, tally.received) }
    let now = clock.now
    if schedule.wakes(at: now) { wakeSleepers(at: now) }
    if schedule.isPacing { pace(at: now) }
    guard let deadline = schedule.deadline, deadline <= now else { return }
    switch schedule.phase {
    case .opening:
      let all = publishers.count + subscribers.count
      fail(ClientError(.unreachable, "only \(ready) of \(all) connections were open after 30 s"))
    case .running: if schedule.isStopped { drain() } else { stopPublishing() }
    case .draining:
      // Values received meanwhile extend the deadline.
      schedule.extend(from: tally.lastReceived ?? 0)
      if let deadline = schedule.deadline, deadline <= now { fence() }
    case .fencing, .ended: end()
    }
  }
}

extension BenchRun {
  /// Returns the results; do not call it on the loop's queue.
  func report() -> BenchReport {
    loop.queue.sync {
      if tally.start != nil { end() }
      return BenchReport(request, tally, publishers, subscribers)
    }
  }

  /// Why nothing could be measured; do not read it on the loop's queue.
  var fatal: ClientError? { loop.queue.sync { tally.fatal } }
}
