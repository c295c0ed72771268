internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// One subscription of a client: what it asked for, what it was sent, what it missed.
///
/// Two gates bound what is asked of the pipeline: the client's outstanding demand, and the room
/// that the stream's window leaves beside what the connection has not sent yet.
final class ClientSubscription: PipelineOwner {
  let id: UInt64
  let name: String
  // memory 3
  @safe unowned(unsafe) let client: Client  // outlives its streams: it cancels them before it goes
  private let connection: Connection

  /// Asked for by the client, not yet asked of the pipeline; `Int.max` is no limit.
  private var reserve = 0
  /// Asked of the pipeline and not received.
  private var requested = 0
  private(set) var values = 0
  private var largest = 0
  /// For TAKE: values left until the stream is done; otherwise negative.
  private var left: Int
  private var isScheduled = false
  private var isHeldBack = false
  private var hasMisses = false

  /// Whether payloads go out bare and the client is told nothing else.
  private let isRaw: Bool
  private let prefix: FramePrefix
  private let window: Int
  /// Misses that no DROP has told yet.
  private(set) var misses: [DropReason: Int] = [:]
  private(set) var totalMissed = 0
  private var missedSince: Int64 = 0
  private(set) var lastValue: Int64
  private var source: Source = .none
  /// The pipeline that was subscribed to by its name, with the counters of its stages.
  private(set) var running: (pipeline: Pipeline, counters: StageCounters)?
  private(set) var isOpen = true
  /// What fails it when its time is up.
  private var deadline: AnyCancellable?
  /// What came and could not go out before it was cancelled.
  private(set) var undelivered = 0
  /// The pipeline, where nobody else can run it: what its `share`s hold is held for this stream.
  private var ownPipeline: Pipeline?
  /// What has come and found the window full.
  private var parked: ParkedValues?

  private enum Source {
    case none
    case subject(StreamOutlet)
    case pipeline(PipelineSubscriber, RunningContext)
  }

  init(id: UInt64, name: String, client: Client, window: Int, take: Int?, isRaw: Bool = false) {
    self.id = id
    self.name = name
    self.client = client
    connection = client.connection
    self.window = window
    left = take ?? -1
    self.isRaw = isRaw
    prefix = isRaw ? FramePrefix() : FramePrefix(StreamID(rawValue: id))
    lastValue = client.engine.now
  }

  private var wireID: StreamID { StreamID(rawValue: id) }

  var label: String { "client=\(client.id) id=\(id)" }

  /// It serves a client.
  var run: String? { nil }

  // MARK: Demand

  /// The demand not yet met by values.
  var demand: Demand {
    reserve == .max ? .unlimited : .max(UInt64(reserve + requested + parkedCount))
  }

  /// Adds to the demand without asking the pipeline yet.
  func raise(_ demand: Demand) {
    let sum = addDemand(reserve, Int(clamping: demand.max ?? .max))
    // What is outstanding in all must be a number, too.
    reserve = sum > Int.max - requested - 1 ? .max : sum
  }

  /// Asks the pipeline for what demand and window allow.
  func requestMore() {
    guard isOpen else { return }
    let more = more()
    guard more > 0 else { return }
    switch source {
    case .none: break
    case .subject(let outlet): outlet.allow(more)
    case .pipeline(let subscriber, _): subscriber.request(more)
    }
  }

  /// What may be asked for now, counted as asked for.
  private func more() -> Int {
    guard reserve > 0, parked == nil else { return 0 }
    // A TAKE may be asked for more than it takes, and asks for no more than that.
    let more = min(reserve, (left < 0 ? room : min(room, left)) - requested)
    guard more > 0 else {
      if connection.unsent > 0 { holdBack() }
      return 0
    }
    if reserve != .max { reserve -= more }
    requested += more
    return more
  }

  /// Values that wait for room in the window.
  var parkedCount: Int { parked?.count ?? 0 }

  /// Asks again when bytes that stand against it have been sent, whosever they are.
  private func holdBack() {
    guard !isHeldBack else { return }
    isHeldBack = true
    client.scheduleResume(of: self)
  }

  /// After bytes were sent: what they held back can be asked for.
  func resume() {
    isHeldBack = false
    if parked != nil { sendParked() }
    requestMore()
  }

  /// Values that the window leaves room for, those asked for included.
  private var room: Int {
    let unsent = connection.unsent
    let free = window - unsent
    guard free > 0, unsent < client.engine.configuration.outputLimit else { return 0 }
    let size = values == 0 ? 1024 : max(largest, 1)
    return min(16_384, max(1, free / size))
  }

  /// Whether nothing is asked for since the window is full of what the client does not read.
  var isUnread: Bool { parked != nil || reserve > 0 && room == 0 }

  /// For the subject: asks for more when all that was asked for has come.
  ///
  /// If only the window stands against it, the connection is sent first.
  func moreFromSubject() -> Int {
    guard isOpen, reserve > 0 else { return 0 }
    let now = more()
    if now > 0 { return now }
    connection.flush()
    return more()
  }

  /// After the connection was sent: what was held back by the window can be asked for.
  func endTurn() {
    isScheduled = false
    requestMore()
  }

  /// What its pipeline holds.
  var pipelineBytes: Int {
    guard case .pipeline(_, let context) = source else { return 0 }
    return context.bytes + (ownPipeline.map { $0.sharedBytes + $0.bytes } ?? 0)
  }

  // MARK: Values

  /// Whether so many bytes may be written now: looked at before each value, since those that were
  /// asked for may be larger than was thought, and others have written meanwhile.
  @inline(__always)
  private func mayWrite(_ count: Int) -> Bool {
    if connection.unsent &+ count <= Self.small { return parked == nil }
    return mayWriteLarge(count)
  }

  /// With no more than this unsent and to be written, no window is full that is not very narrow.
  private static let small = 16 << 10

  private func mayWriteLarge(_ count: Int) -> Bool {
    guard parked == nil else { return false }
    if count > Self.small, client.engine.ledger.isShort(after: count) { return false }
    if isWindowOpen { return true }
    connection.flush()
    return isWindowOpen
  }

  private var isWindowOpen: Bool {
    connection.unsent < min(window, client.engine.configuration.outputLimit)
  }

  /// Keeps a value until there is room for it; fails if that is too much for its connection.
  private func park(_ value: Value) {
    requested &-= 1
    let size = value.footprint
    guard client.charged.hasRoom(for: size) else {
      return fail(.limit, client.tooMuchHeld)
    }
    client.charged.add(size)
    let parked = parked ?? ParkedValues()
    self.parked = parked
    parked.append(value)
    holdBack()
  }

  /// Nothing more is to come from a subject than what waits already.
  private func revoke() {
    guard isOpen, case .subject(let outlet) = source else { return }
    let excess = requested
    requested = 0
    if reserve != .max { reserve += excess }
    outlet.lower(by: excess)
  }

  /// Writes what waits, as far as there is room, then the end if it has come.
  private func sendParked() {
    while let parked, isOpen {
      guard isWindowOpen else { return holdBack() }
      if client.engine.timeSlice.isOver, parked.nextIsLarge { return waitForTurn() }
      guard let value = parked.popFirst() else {
        self.parked = nil
        if let end = parked.end { finish(end) }
        return
      }
      client.charged.remove(value.footprint)
      requested &+= 1
      unsafe value.withBytes { unsafe write($0, isLine: !containsLineEnd($0)) }
      if value.isLarge { client.engine.timeSlice.charge(value.stepsToSend) }
      value.letGo()
    }
  }

  /// Goes on in a later turn: to write a large value takes long.
  private func waitForTurn() {
    guard !isHeldBack else { return }
    isHeldBack = true
    client.engine.timeSlice.wait { [weak self] in self?.resume() }
  }

  /// Drops what waits.
  private func dropParked() {
    guard let parked else { return }
    self.parked = nil
    client.charged.remove(parked.bytes)
    if parked.count > 0 { missed(parked.count, .noDemand) }
  }

  func emit(_ bytes: UnsafeRawBufferPointer, isLine: Bool) {
    guard mayWrite(bytes.count) else { return unsafe park(Value(bytes: bytes)) }
    if hasMisses { reportMisses() }
    unsafe write(bytes, isLine: isLine)
  }

  /// Takes a value of a subject, of which others may keep the same.
  func emit(_ value: inout PublishedValue) {
    guard unsafe mayWrite(value.bytes.count) else {
      park(value.value)
      return revoke()
    }
    if hasMisses { reportMisses() }
    unsafe write(value.bytes, isLine: value.isLine)
  }

  @inline(__always)
  private func write(_ bytes: UnsafeRawBufferPointer, isLine: Bool) {
    if isLine || isRaw {
      unsafe prefix.withUnsafeBytes { unsafe connection.append($0, bytes, newline: true) }
    } else {
      client.signal { unsafe FrameWriter.value(wireID, bytes, into: &$0) }
    }
    values &+= 1
    requested &-= 1
    if bytes.count > largest { grow(to: bytes.count) }
    if left > 0 { left -= 1 }
    wrote()
  }

  /// Values are larger than was thought when they were asked for: a subject is asked for fewer.
  private func grow(to size: Int) {
    largest = size
    guard case .subject(let outlet) = source, requested > room else { return }
    let excess = requested - room
    requested -= excess
    if reserve != .max { reserve += excess }
    outlet.lower(by: excess)
  }

  /// Does what is to be done when values have been written.
  private func wrote() {
    if !isScheduled {
      isScheduled = true
      lastValue = client.engine.now
      client.scheduleRequest(by: self)
    }
    if left == 0 { finishTaking() }
    if requested == 0, reserve == 0, parkedCount == 0 { client.streamMetDemand(self) }
  }

  /// Sends the values of `batch` with places in `range`, for all of which there is room.
  func emit(_ batch: ValueBatch, _ range: Range<Int>) {
    guard mayWrite(batch.largest) else {
      for index in range where isOpen { unsafe park(Value(bytes: batch[index])) }
      return revoke()
    }
    if hasMisses { reportMisses() }
    if range == 0..<batch.count, let lines = unsafe batch.readyLines(after: prefix) {
      unsafe connection.send(lines)
    } else if batch.isShared, range == 0..<batch.count {
      unsafe connection.send(batch.lines(after: prefix))
    } else {
      unsafe prefix.withUnsafeBytes { unsafe connection.append(lines: batch[range], after: $0) }
    }
    values &+= range.count
    requested &-= range.count
    if batch.largest > largest { grow(to: batch.largest) }
    if left > 0 { left -= range.count }
    wrote()
  }

  func receive(_ value: Value) -> Subscribers.Demand {
    guard isOpen else { return .none }
    unsafe value.withBytes { bytes in
      guard bytes.count <= client.engine.configuration.valueLimit else {
        return fail(.limit, client.engine.tooLong(bytes.count))
      }
      if bytes.count > Self.large { client.engine.timeSlice.charge(bytes.count / 16) }
      guard mayWrite(bytes.count) else { return park(value) }
      if hasMisses { reportMisses() }
      unsafe write(bytes, isLine: !containsLineEnd(bytes))
    }
    return moreFromPipeline()
  }

  /// How many payloads of up to `largest` bytes the pipeline may hand on at once.
  func room(for largest: Int) -> Int {
    isOpen && largest <= client.engine.configuration.valueLimit && mayWrite(largest)
      ? requested : 0
  }

  /// Takes payloads of the present batch from the pipeline, for all of which there is room.
  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard isOpen else { return .none }
    emit(client.engine.batch, payloads.places)
    return moreFromPipeline()
  }

  /// Takes a payload of the present batch from the pipeline: one without CR and LF.
  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard isOpen else { return .none }
    if payload.count <= client.engine.configuration.valueLimit {
      unsafe emit(payload, isLine: true)
    } else {
      fail(.limit, client.engine.tooLong(payload.count))
    }
    return moreFromPipeline()
  }

  /// Values of more bytes are so much work to write that the time slice is told of it.
  private static let large = 16 << 10

  @inline(__always)
  private func moreFromPipeline() -> Subscribers.Demand {
    guard isOpen, reserve > 0, parked == nil, requested &* 2 <= room else { return .none }
    return .max(more())
  }

  func missed(_ count: Int, _ reason: DropReason) {
    if totalMissed == 0 {
      client.engine.notify(
        .missing(client: client.id, id: id, name: name, reason: reason.rawValue)
      )
    }
    totalMissed += count
    if misses.isEmpty { missedSince = client.engine.now }
    hasMisses = !isRaw
    misses[reason, default: 0] += count
  }

  private func reportMisses() {
    hasMisses = false
    for reason in DropReason.allCases {
      guard let count = misses[reason] else { continue }
      client.engine.counters.countMissed(count, reason)
      client.signal(.drop(wireID, count: UInt64(count), reason: reason.rawValue))
    }
    misses.removeAll()
  }

  /// For how long it has had no demand, or not read, while something was there for it.
  var stalled: Int64? {
    guard demand == .none || isUnread else { return nil }
    let missing = demand == .none && untoldMisses > 0 ? client.engine.now - missedSince : nil
    return [missing, heldUp].compactMap { $0 }.max()
  }

  /// For how long a value has waited for it; inside a pipeline, since when it has had no value.
  private var heldUp: Int64? {
    if case .subject(let outlet) = source {
      return outlet.subject.flatMap { $0.unread(outlet) ?? $0.stalled(outlet) }
    }
    guard let (pipeline, counters) = running,
      pipeline.figures(ofRun: counters).contains(where: { $0.held > 0 })
    else { return nil }
    return client.engine.now - lastValue
  }

  /// How many values it has missed, with those that it would be told of next.
  var missedInAll: Int {
    guard case .subject(let outlet) = source, let subject = outlet.subject else {
      return totalMissed
    }
    return totalMissed + subject.replaced(outlet)
  }

  /// How many misses no DROP has told yet.
  var untoldMisses: Int { misses.values.reduce(0, +) }

  // MARK: Life

  func subscribe(to subject: ServerSubject) {
    let outlet = StreamOutlet(self, at: subject)
    source = .subject(outlet)
    subject.add(outlet) {}
    if case .subject = source { requestMore() }
  }

  func subscribe(to pipeline: Pipeline) {
    let subscriber = PipelineSubscriber(self)
    if name != "-" { running = (pipeline, StageCounters(count: pipeline.stages.count)) }
    let context = RunningContext(
      pipeline,
      engine: client.engine,
      owner: self,
      counters: running?.counters
    )
    if name == "-" { ownPipeline = pipeline }
    source = .pipeline(subscriber, context)
    pipeline.publisher(in: context).subscribe(subscriber)
  }

  private func finishTaking() {
    stopSource()
    dropParked()
    finish(.finished)
  }

  /// Takes the end from the pipeline.
  func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard isOpen else { return }
    // What came before the end goes out before it.
    if let parked, parked.count > 0 {
      // Who may not be told is told nothing, also once it is forgotten what was read.
      parked.end = completion.failure.map { .failure(visible($0)) } ?? completion
      if case .pipeline(_, let context) = source { context.leave(readsAll) }
      source = .none
      return
    }
    if hasMisses { reportMisses() }
    close(completion)
    if !isRaw { sendEnd(completion) }
    client.streamEnded()
  }

  private func sendEnd(_ completion: Subscribers.Completion<PipelineFailure>) {
    switch completion {
    case .finished: client.signal(.done(wireID))
    case .failure(let failure):
      client.signal(.fail(wireID, code: failure.code, text: visible(failure).message))
      client.engine.counters.count("FAIL", failure.code)
    }
  }

  /// A failure as its client may see it: the text may show values and names of all that is read.
  private func visible(_ failure: PipelineFailure) -> PipelineFailure {
    readsAll ? failure : failure.hidden
  }

  var readsAll: Bool {
    switch source {
    case .none: true
    case .subject(let outlet): client.reads([outlet.home.name] + outlet.home.failureOrigins)
    case .pipeline(_, let context): client.reads(context.mentions)
    }
  }

  /// Ends the stream with an error of its own.
  func fail(_ failure: PipelineFailure) {
    guard isOpen else { return }
    countReplaced()
    stopSource()
    dropParked()
    finish(.failure(failure))
  }

  /// Ends the stream from the client's side; it says nothing more.
  func cancel() {
    guard isOpen else { return }
    countReplaced()
    undelivered = parkedCount
    dropParked()
    close(nil)
    stopSource()
  }

  /// Fails it if it is still there after so many nanoseconds.
  func limit(to nanoseconds: Int64) {
    let clock = client.engine.clock
    let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(Int(max(nanoseconds, 1)))
    deadline = AnyCancellable(
      clock.schedule(after: clock.now.advanced(by: time), interval: time) { [weak self] in
        self?.fail(.timeout, "not all values arrived in time")
      }
    )
  }

  private func countReplaced() {
    if case .subject(let outlet) = source { outlet.subject?.countReplaced(outlet) }
  }

  /// Closes it with what it ended with, or because the client has cancelled it.
  private func close(_ completion: Subscribers.Completion<PipelineFailure>?) {
    isOpen = false
    deadline = nil
    let reason = completion?.reason ?? "cancel"
    client.engine.notify(.ended(client: client.id, id: id, name: name, reason: reason))
    if let (pipeline, counters) = running {
      pipeline.runEnds(counters, completion?.failure, at: client.engine.now)
    }
    client.engine.counters.delivered += values
    for (reason, count) in misses { client.engine.counters.countMissed(count, reason) }
    if case .pipeline(_, let context) = source { context.leave(readsAll) }
    parked = nil
    client.forget(self)
    client.engine.releaseLater(self)
  }

  private func stopSource() {
    let (old, readsAll) = (source, readsAll)
    source = .none
    switch old {
    case .none: break
    case .subject(let outlet): outlet.leave()
    case .pipeline(let subscriber, let context):
      subscriber.cancel()
      context.leave(readsAll)
    }
  }
}
