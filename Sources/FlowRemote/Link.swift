import Dispatch
import FlowCore
import FlowTransport
import FlowWire
import Synchronization

/// The connection behind a `FlowRemote`: frames, answers in order, streams by their ids.
///
/// A lost connection is restored with the same streams under the same ids. Unchecked: it is used on
/// the loop's queue only; other threads enter by `perform`.
final class Link: @unchecked Sendable {
  typealias CommandAnswer = (Result<RemoteAnswer, RemoteError>) -> Void

  enum Phase {
    case connecting
    /// Waits for the answer to the greeting.
    case greeting(Connection)
    case open(Connection)
    case ended(RemoteError)
  }

  private static let onQueue = DispatchSpecificKey<ObjectIdentifier>()
  /// The unsent output, in bytes, above which it is flushed before the end of the turn.
  private static let enoughUnsent = 256 * 1024

  let address: String
  let settings: FlowRemote.Settings
  let loop: EventLoop
  var phase = Phase.connecting
  var attempts = Attempts()
  /// The shortest time, on this connection, from an immediately answered command to its answer:
  /// later ones may have waited behind values.
  var roundTrip: UInt64?
  /// The longest line in bytes, as last announced.
  var longestLine = FrameLimits().line
  let valueLimit = Atomic(FrameLimits().value)
  /// Called with the result of the first attempt.
  var started: ((Result<Greeting, RemoteError>) -> Void)?
  var decoder = FrameDecoder(limits: .client)
  var pending = PendingCommands()
  var pace = CommandPace()
  /// The streams to notify after the values at hand.
  var busy: [any LinkStream] = []
  var isReceiving = false
  /// Keeps the link alive while it has a connection, whose events it must handle.
  var keptAlive: Link?

  private var streams = RecentTable<UInt64, any LinkStream>()
  private var lastID: UInt64 = 0
  /// The streams that have signals to send at the end of the turn.
  private var owing: [any LinkStream] = []
  /// A reusable buffer for signals and for the heads of values.
  private var scratch: [UInt8] = []

  init(to address: String, settings: FlowRemote.Settings) {
    self.address = address
    self.settings = settings
    loop = EventLoop(label: "flow.remote", platform: settings.platform)
    loop.queue.setSpecific(key: Self.onQueue, value: ObjectIdentifier(self))
    loop.turnWillEnd = { [weak self] in self?.settle() }
  }

  // MARK: Entries

  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.onQueue) == ObjectIdentifier(self)
  }

  /// Runs `work` on the queue; at once if the caller is on it.
  func perform(_ work: @escaping @Sendable (Link) -> Void) {
    if isCurrent { work(self) } else { loop.post { work(self) } }
  }

  /// Sends a line, given with its line end, and calls the closure with its answer.
  func command(_ line: [UInt8], _ answer: @escaping CommandAnswer) {
    switch phase {
    case .ended(let error): answer(.failure(error))
    case .connecting, .greeting: answer(.failure(.lost("not connected")))
    case .open(let connection): command(line, on: connection, answer)
    }
  }

  func command(_ line: [UInt8], on connection: Connection, _ answer: @escaping CommandAnswer) {
    let text = line.dropLast()
    // Text after a line break would be another command, with an answer of its own.
    guard !text.contains(UInt8(ascii: "\n")) else {
      let problem = "a line break cannot be sent, and in a string is written \\n"
      return answer(.failure(.usage(problem, in: String(decoding: text, as: UTF8.self))))
    }
    if let refusal = refusal(ofLine: text) { return answer(.failure(refusal)) }
    guard !pace.hold((line, answer)) else { return }
    pending.await(answer)
    write(line, on: connection)
    if pace.send() { ping() }
  }

  private func ping() {
    guard let connection else { return }
    pending.await { _ in }
    write(Command.ping(nil).bytes, on: connection)
  }

  /// Sends the held commands after the pause, if the connection still lasts.
  func pauseCommands() {
    let attempt = attempts.number
    settings.platform.run(after: CommandPace.pause) { [weak self] in
      self?.perform { link in
        guard link.attempts.number == attempt, let connection = link.connection else { return }
        for held in link.pace.resume() { link.command(held.line, on: connection, held.answer) }
      }
    }
  }

  /// Removes and returns the unanswered commands, in order.
  func takeUnanswered() -> [PendingCommands.Answer] {
    pending.takeAll() + pace.resume().map { $0.answer }
  }

  /// The clock of round trips, in nanoseconds; from any thread.
  var now: UInt64 { loop.now }

  /// Records a round trip that began at `start`.
  func measured(since start: UInt64) {
    let length = now - start
    roundTrip = min(length, roundTrip ?? length)
  }

  private func write(_ line: [UInt8], on connection: Connection) {
    settings.trace?(
      RemoteTrace(isInput: false, line: String(decoding: line.dropLast(), as: UTF8.self))
    )
    connection.append(line)
  }

  // MARK: Streams

  /// Gives a stream an id and opens it on this connection or the next one.
  func open(_ stream: any LinkStream & Sendable, named: @escaping @Sendable (StreamID) -> Void) {
    perform { link in
      if case .ended(let error) = link.phase { return stream.ended(error) }
      // The stream may have been cancelled before this ran on the queue.
      guard !stream.isEnding else { return }
      if let refusal = link.refusalOfStream { return stream.ended(refusal) }
      link.lastID += 1
      link.streams[link.lastID] = stream
      named(StreamID(rawValue: link.lastID))
      if link.isOpen { stream.connectionRestored() }
    }
  }

  func forget(_ id: StreamID) {
    _ = streams.removeValue(forKey: id.rawValue)
  }

  func takeStreams() -> [any LinkStream] {
    defer { streams = RecentTable() }
    return streamsInOrder
  }

  var streamsInOrder: [any LinkStream] { streams.values }

  /// The number of streams, including cancelled ones that wait for the answer.
  var streamCount: Int { streams.count }

  func stream(_ id: UInt64) -> (any LinkStream)? { streams[id] }

  /// Notifies `stream` after the values received so far.
  func afterValues(_ stream: any LinkStream) {
    if isReceiving { busy.append(stream) } else { stream.valuesPassed() }
  }

  /// Calls `settle` of `stream` at the end of the turn.
  func owes(_ stream: any LinkStream) {
    owing.append(stream)
  }

  private func settle() {
    while !owing.isEmpty {
      let now = owing
      owing.removeAll(keepingCapacity: true)
      for stream in now { stream.settle() }
    }
  }

  // MARK: Output

  var isOpen: Bool { connection != nil }

  /// The connection, if commands and values may be sent.
  private var connection: Connection? {
    if case .open(let connection) = phase { connection } else { nil }
  }

  /// Whether the socket has enough to send; `socketDrained` follows once it has less.
  var isFull: Bool {
    guard let connection else { return true }
    // Only a full socket reports that it has drained.
    if connection.unsent > Self.enoughUnsent { connection.flush() }
    return connection.isBlocked
  }

  /// Sends a signal, which has no answer.
  func write(_ signal: Command) {
    guard let connection else { return }
    scratch.removeAll(keepingCapacity: true)
    signal.write(into: &scratch)
    write(scratch, on: connection)
  }

  func writeValue(_ id: StreamID, _ payload: UnsafeRawBufferPointer) {
    guard let connection else { return }
    unsafe trace(id, payload, isInput: false)
    scratch.removeAll(keepingCapacity: true)
    unsafe FrameWriter.head(id, payload, into: &scratch)
    let head = scratch
    unsafe head.withUnsafeBytes { unsafe connection.append($0, payload, newline: true) }
  }

  func trace(_ id: StreamID, _ payload: UnsafeRawBufferPointer, isInput: Bool) {
    guard let trace = settings.trace else { return }
    let text = unsafe String(decoding: payload, as: UTF8.self)
    trace(RemoteTrace(isInput: isInput, line: "= \(id) \(text)"))
  }

  /// Sends the waiting output, for a caller that keeps the queue busy.
  func flush() {
    connection?.flush()
  }
}

extension FrameLimits {
  /// The greatest limits that a server can be configured with.
  static let client = FrameLimits(line: 1_048_576, value: 67_108_864)
}
