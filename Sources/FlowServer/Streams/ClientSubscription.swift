internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// A client's subscription: its demand, and the values sent and missed.
///
/// Requests to the pipeline are limited by the client's demand and by the stream's window, in which
/// all unsent bytes of the connection count.
final class ClientSubscription: PipelineOwner {
  let id: UInt64
  let name: String
  // memory 3
  @safe unowned(unsafe) let client: Client  // outlives its streams: it cancels them before it goes
  let connection: Connection
  private var progress: StreamProgress
  private let prefix: StreamPrefix
  // Flags, placed to fit into padding.
  var isScheduled = false
  private var isHeldBack = false
  var isOpen = true
  /// Whether only bare payloads are sent.
  let isRaw: Bool
  /// Whether the client's token had the right `hold` when it subscribed.
  let holds: Bool
  /// The flow that it gets if that is another one than its subjects have, as its client was told.
  var flow: SubjectSettings.Flow?
  private(set) var lastValue: Int64
  var source = StreamSource.none
  // memory 6: touched on the queue only.
  /// Set once something was missed.
  @safe @exclusivity(unchecked) var misses: StreamMisses?
  /// Values that found the window full.
  var parked: ParkedValues?
  private var extras: Extras?

  /// State that only streams with a pipeline or an unusual end need.
  final class Extras {
    var pipeline: Pipeline?
    /// Set if the pipeline was subscribed to by its name.
    ///
    /// Otherwise this stream alone runs it, and pays for what its `share`s hold.
    var counters: StageCounters?
    var deadline: AnyCancellable?
    var undelivered = 0
  }

  func makeExtras() -> Extras {
    if let extras { return extras }
    let new = Extras()
    extras = new
    return new
  }

  init(id: UInt64, name: String, client: Client, window: Int, take: Int?, isRaw: Bool = false) {
    self.id = id
    self.name = name
    self.client = client
    connection = client.connection
    progress = StreamProgress(window: window, take: take)
    self.isRaw = isRaw
    holds = client.session.access.allows(.hold)
    prefix = isRaw ? StreamPrefix() : StreamPrefix(StreamID(rawValue: id))
    lastValue = client.engine.now
  }

  /// Records when values may begin to come.
  func valuesMayCome() { lastValue = client.engine.now }

  var wireID: StreamID { StreamID(rawValue: id) }

  var label: String { "client=\(client.id) id=\(id)" }

  var run: String? { nil }

  /// The pipeline; nil if the stream reads a subject itself.
  var pipeline: Pipeline? { extras?.pipeline }

  /// The pipeline that was subscribed to by its name, with its counters.
  var running: (pipeline: Pipeline, counters: StageCounters)? {
    guard let pipeline = extras?.pipeline, let counters = extras?.counters else { return nil }
    return (pipeline, counters)
  }

  /// Fails the stream when its time is up.
  var deadline: AnyCancellable? {
    get { extras?.deadline }
    set { if newValue != nil || extras != nil { makeExtras().deadline = newValue } }
  }

  /// Values that were parked when it was cancelled.
  var undelivered: Int {
    get { extras?.undelivered ?? 0 }
    set { if newValue != 0 { makeExtras().undelivered = newValue } }
  }

  var values: Int { progress.values }

  var demand: Demand { progress.demand(parkedCount) }

  /// Adds to the demand, without a request to the pipeline yet.
  func raise(_ demand: Demand) { progress.raise(demand) }

  /// Requests what demand and window allow.
  func requestMore() {
    guard isOpen else { return }
    let more = more()
    if more > 0 { source.request(more) }
  }

  /// Returns how many values to request now, and counts them as requested.
  private func more() -> Int {
    guard progress.reserve > 0, parked == nil else { return 0 }
    let more = progress.request(room)
    if more == 0, connection.unsent > 0 { holdBack() }
    return more
  }

  /// Values that wait for room in the window.
  var parkedCount: Int { parked?.count ?? 0 }

  /// Requests again when bytes of the connection have been sent.
  private func holdBack() {
    guard !isHeldBack else { return }
    isHeldBack = true
    client.scheduleResume(of: self)
  }

  /// Requests values again, because bytes were sent.
  func resume() {
    isHeldBack = false
    if parked != nil { sendParked() }
    requestMore()
  }

  /// How many values fit into the window, including requested ones.
  private var room: Int {
    progress.room(beside: connection.unsent, limit: outputLimit)
  }

  @inline(__always)
  private var isHalfMet: Bool {
    progress.isHalfMet(beside: connection.unsent, limit: outputLimit)
  }

  private var outputLimit: Int { client.engine.configuration.connections.outputLimit }

  /// Whether nothing is requested because the client does not read.
  var isUnread: Bool {
    parked.map { $0.sayFirst == nil } ?? (progress.reserve > 0 && room == 0)
  }

  var batchRoom: Int { .max }

  /// Returns how many more values the subject may send, when all requested ones have come.
  ///
  /// If only the window is full, sends the connection's output first.
  func moreFromSubject() -> Int {
    guard isOpen, progress.reserve > 0 else { return 0 }
    let now = more()
    if now > 0 { return now }
    connection.flush()
    return more()
  }

  /// Requests values that the window held back, after the output was sent.
  func endTurn() {
    isScheduled = false
    if misses != nil { reportFailures() }
    requestMore()
  }

  var pipelineBytes: Int {
    guard let context = source.context else { return 0 }
    let own = extras?.counters == nil ? extras?.pipeline : nil
    return context.bytes + (own.map { $0.sharedBytes + $0.bytes } ?? 0)
  }

  /// Whether `count` bytes may be written now.
  ///
  /// Checked for each value, because values may be larger than expected, and other streams write,
  /// too.
  @inline(__always)
  private func mayWrite(_ count: Int) -> Bool {
    if connection.unsent &+ count <= Self.small { return parked == nil }
    return mayWriteLarge(count)
  }

  /// No usual window is full with fewer unsent bytes.
  static let small = 16 << 10

  private func mayWriteLarge(_ count: Int) -> Bool {
    guard parked == nil else { return false }
    if count > Self.small, client.engine.ledger.isShort(after: count) { return false }
    if isWindowOpen { return true }
    connection.flush()
    return isWindowOpen
  }

  private var isWindowOpen: Bool {
    progress.hasRoom(beside: connection.unsent, limit: outputLimit)
  }

  /// Keeps a value until there is room; fails the stream if its connection holds too much.
  private func park(_ value: Value) {
    progress.requested &-= 1
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

  /// Takes the unused credit back from the subject.
  private func revoke() {
    guard isOpen, let outlet = source.outlet else { return }
    outlet.lower(by: progress.lower(to: 0))
  }

  /// Writes parked values as far as there is room, then the end.
  func sendParked() {
    while let parked, isOpen, parked.sayFirst == nil {
      guard isWindowOpen else { return holdBack() }
      if client.engine.timeSlice.isOver, parked.nextIsLarge { return waitForTurn() }
      guard let value = parked.popFirst() else {
        self.parked = nil
        if let end = parked.end { return finish(end) }
        guard parked.areLast else { return }
        cancel()
        return client.streamEnded()
      }
      client.charged.remove(value.footprint)
      progress.requested &+= 1
      unsafe value.withBytes { unsafe write($0, isLine: !containsLineEnd($0)) }
      if value.isLarge { client.engine.timeSlice.charge(value.stepsToSend) }
      value.letGo()
    }
  }

  /// Continues in a later turn, because writing large values takes long.
  private func waitForTurn() {
    guard !isHeldBack else { return }
    isHeldBack = true
    client.engine.timeSlice.wait { [weak self] in self?.resume() }
  }

  func emit(_ bytes: UnsafeRawBufferPointer, isLine: Bool) {
    guard mayWrite(bytes.count) else { return unsafe park(Value(bytes: bytes)) }
    if hasMisses { reportMisses() }
    unsafe write(bytes, isLine: isLine)
  }

  /// Takes a value of a subject.
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
    wrote(1, upTo: bytes.count)
  }

  /// Updates counters after `count` values of up to `size` bytes were written.
  @inline(__always)
  private func wrote(_ count: Int, upTo size: Int) {
    // Values were larger than expected, so the credit at the subject is lowered.
    if progress.sent(count, upTo: size), let outlet = source.outlet {
      let excess = progress.lower(to: room)
      if excess > 0 { outlet.lower(by: excess) }
    }
    if !isScheduled {
      isScheduled = true
      lastValue = client.engine.now
      client.scheduleRequest(by: self)
    }
    if progress.left == 0 { finishTaking() }
    if progress.isMet, parkedCount == 0 { client.streamMetDemand(self) }
  }

  /// Sends values of a batch, which must have room.
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
    wrote(range.count, upTo: batch.largest)
  }

  func receive(_ value: Value) -> Subscribers.Demand {
    guard isOpen else { return .none }
    if value.isScalar, Value.longestScalar <= client.engine.configuration.valueLimit {
      emit(scalar: value)
      return moreFromPipeline()
    }
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

  /// Writes a short value without line ends directly into the output.
  @inline(__always)
  private func emit(scalar: Value) {
    guard mayWrite(Value.longestScalar) else { return park(scalar) }
    if hasMisses { reportMisses() }
    var count = 0
    unsafe connection.append(lineUpTo: StreamPrefix.size + Value.longestScalar) { place in
      let start = unsafe prefix.write(to: place)
      count = unsafe scalar.writeScalar(to: place + start)
      return start + count
    }
    wrote(1, upTo: count)
  }

  /// How many payloads of up to `largest` bytes the pipeline may send at once.
  func room(for largest: Int) -> Int {
    isOpen && largest <= client.engine.configuration.valueLimit && mayWrite(largest)
      ? progress.requested : 0
  }

  /// Takes payloads from the pipeline, which must have room.
  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard isOpen else { return .none }
    emit(client.engine.batch, payloads.places)
    return moreFromPipeline()
  }

  /// Takes a payload without CR and LF from the pipeline.
  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard isOpen else { return .none }
    if payload.count <= client.engine.configuration.valueLimit {
      unsafe emit(payload, isLine: true)
    } else {
      fail(.limit, client.engine.tooLong(payload.count))
    }
    return moreFromPipeline()
  }

  /// Values above this size are reported to the time slice.
  private static let large = 16 << 10

  @inline(__always)
  private func moreFromPipeline() -> Subscribers.Demand {
    guard isOpen, progress.reserve > 0, parked == nil, isHalfMet else { return .none }
    return .max(more())
  }
}
