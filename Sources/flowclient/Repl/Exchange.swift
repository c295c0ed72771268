import FlowWire

/// Matches the answers of a conversation with its commands, and tracks its open streams.
///
/// Every command has one answer, in order.
struct Exchange {
  /// Why a line was sent.
  enum Origin: Equatable {
    case typed
    /// A key that requests values; its answer is not shown.
    case key
    /// A statement of a paste, after whose answer the next one is sent.
    case paste
    /// The reopening of a stream after a lost connection.
    case again
  }

  struct Sent: Equatable {
    let line: String
    let command: Command?
    let origin: Origin
  }

  private(set) var pending: [Sent] = []
  private(set) var streams: [StreamID: OpenStream] = [:]
  /// Streams that control-C has cancelled, until the server confirms.
  var stopped: Set<StreamID> = []
  /// The streams of the lost connection, to open again.
  var lost: [OpenStream] = []
  /// The stream that keys request values of.
  var current: StreamID?
  private var feed = OpenFeed()
  /// Whether the server now sends raw lines, after TAIL.
  private(set) var isRaw = false
  private var isFramed = false

  /// Whether typed lines belong to a FEED.
  var isFeeding: Bool { feed.isOpen }

  /// The open streams that values arrive on, by number.
  var readStreams: [OpenStream] {
    streams.values.filter(\.isRead).sorted { $0.id < $1.id }
  }

  /// The open streams that control-C has not cancelled, by number.
  var running: [OpenStream] {
    streams.values.filter { !stopped.contains($0.id) }.sorted { $0.id < $1.id }
  }

  /// The stream that a user would end first: the one of the keys, or the last open for calls.
  var endable: StreamID? {
    current ?? streams.values.filter { $0.verb == .serve }.map(\.id).max()
  }

  /// The open streams with a value or a call since `time`, by number.
  func used(since time: UInt64) -> [StreamID] {
    streams.values.filter { $0.lastValue > 0 && $0.lastValue >= time }.map(\.id).sorted()
  }

  // MARK: Output

  /// Records a line that is sent, given without its line end.
  mutating func send(_ line: String, by origin: Origin) {
    let wasFeeding = feed.isOpen
    feed.read("\(line)\n".utf8)
    guard !wasFeeding, !isRaw, !awaitsTail else { return }
    let isIgnorable = line.first { $0 != " " && $0 != "\t" }.map { $0 == "#" } ?? true
    guard !isIgnorable else { return }
    let tagged = try? TaggedCommand(line)
    guard !isFramed || hasAnswer(tagged, line) else { return recordUnanswered(tagged?.command) }
    if case .hello? = tagged?.command { isFramed = true }
    pending.append(Sent(line: line, command: tagged?.command, origin: origin))
  }

  /// Whether the server answers a line, which after HELLO it does not do for signals.
  private func hasAnswer(_ tagged: TaggedCommand?, _ line: String) -> Bool {
    if line.hasPrefix("=") || line.hasPrefix(":") { return false }
    guard let tagged, tagged.tag == nil else { return true }
    switch tagged.command {
    case .request, .done(.stream), .fail(.stream, _, _): return false
    default: return true
    }
  }

  private mutating func recordUnanswered(_ command: Command?) {
    guard case .request(.stream(let id), .demand(let more)) = command else { return }
    streams[id]?.demand += more
  }

  // MARK: Input

  /// Whether an unanswered TAIL decides what comes next.
  private var awaitsTail: Bool {
    pending.contains { if case .tail? = $0.command { true } else { false } }
  }

  /// Whether a TAIL is running, or is the next to be answered.
  var isTailing: Bool { isRaw || answersTail }

  private var answersTail: Bool {
    if case .tail? = pending.first?.command { true } else { false }
  }

  /// Whether a line belongs to the protocol; after an accepted TAIL, lines are raw.
  mutating func isUnderstood(_ said: TaggedServerLine) -> Bool {
    if isRaw { return false }
    switch said.line {
    case .error, .note, .greeting: break
    // Untagged input means that the TAIL has begun; tagged answers belong to earlier questions.
    default: if said.tag == nil { beginTail() }
    }
    return !isRaw
  }

  /// Records that a TAIL was accepted: something other than a refusal arrived.
  mutating func beginTail() {
    guard answersTail else { return }
    isRaw = true
    pending = []
  }

  /// Handles a line of the server; returns the command that it answers, if any.
  mutating func receive(_ said: TaggedServerLine) -> Sent? {
    switch said.line {
    case .ok(let answer): return receive(answer)
    case .error:
      if said.tag == "!" { return nil }
      let sent = pending.isEmpty ? nil : pending.removeFirst()
      if case .hello? = sent?.command { isFramed = false }
      return sent
    case .pong: return said.tag == "!" ? nil : removePending(.ping)
    case .done(let id), .fail(let id, _, _), .cancel(let id, _): close(id)
    default: break
    }
    return nil
  }

  private mutating func receive(_ answer: Answer) -> Sent? {
    switch answer {
    case .open(let verb, let id, let name, let demand, _):
      let sent = removePending(verb)
      let stream = OpenStream(
        id: id,
        verb: verb,
        name: name,
        command: sent?.command,
        demand: demand
      )
      streams[id] = stream
      if stream.isRead { current = id }
      return sent
    case .request(let id, let demand):
      streams[id]?.demand = demand
      return removePending(.request)
    case .cancel(let id, _, _, _, _):
      close(id)
      return removePending(.cancel)
    case .ended(let verb, _): return removePending(verb)
    case .completed(let verb, let target, _):
      if case .stream(let id) = target { close(id) }
      return removePending(verb)
    case .value: return removePending(nil)
    case .plain(let verb, _): return removePending(verb)
    case .hello: return removePending(.hello)
    case .subject: return removePending(.subject)
    case .pipeline: return removePending(.pipeline)
    case .explain: return removePending(.explain)
    case .kill: return removePending(.kill)
    case .send, .stored: return removePending(.send)
    case .feed: return removePending(.feed)
    case .other: return removePending(nil)
    }
  }

  /// Removes the first pending command, or the first with this verb and those before it.
  private mutating func removePending(_ verb: Verb?) -> Sent? {
    guard let verb else { return pending.isEmpty ? nil : pending.removeFirst() }
    guard let place = pending.firstIndex(where: { $0.command?.verb == verb }) else { return nil }
    defer { pending.removeFirst(place + 1) }
    return pending[place]
  }

  private mutating func close(_ id: StreamID) {
    streams[id] = nil
    if current == id { current = readStreams.last?.id }
  }

  /// Records a value or call at `time`, in nanoseconds.
  mutating func receiveValue(on id: StreamID, at time: UInt64 = 0) {
    streams[StreamID(rawValue: id.rawValue)]?.lastValue = time
    guard let left = streams[id]?.demand, left > .none else { return }
    streams[id]?.demand -= 1
  }
}
