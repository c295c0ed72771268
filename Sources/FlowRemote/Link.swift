import Dispatch
import FlowCore
import FlowTransport
import FlowWire
import Synchronization

/// The connection behind a `FlowRemote`: frames in and out, answers in order, streams by their ids.
///
/// When it is lost it is made again, with the same streams under the same ids. All of it belongs
/// to the loop's queue, which makes it safe to share; other threads come in through `perform`.
final class Link: @unchecked Sendable {
  typealias CommandAnswer = (Result<RemoteAnswer, RemoteError>) -> Void

  enum Phase {
    /// Not connected.
    case connecting
    /// The server has not answered the greeting.
    case greeting(Connection)
    case open(Connection)
    case ended(RemoteError)
  }

  private static let onQueue = DispatchSpecificKey<ObjectIdentifier>()
  /// More than this many bytes are not collected to the end of the turn.
  private static let enoughUnsent = 256 * 1024

  let address: String
  let settings: FlowRemote.Settings
  let loop: EventLoop
  var phase = Phase.connecting
  var attempts = Attempts()
  /// The time from a command that the server answers at once to its answer, the shortest on this
  /// connection: later ones may have waited behind values.
  private(set) var roundTrip: UInt64?
  /// The most bytes of a line, as the server said last.
  var longestLine = FrameLimits().line
  let valueLimit = Atomic(FrameLimits().value)
  /// Told how the first attempt went.
  var started: ((Result<Greeting, RemoteError>) -> Void)?
  var decoder = FrameDecoder(limits: .client)
  var pending = PendingCommands()
  var pace = CommandPace()
  /// The streams that want to know when the values at hand are through.
  var busy: [any LinkStream] = []
  var isReceiving = false
  /// Itself, while it has a connection, whose events it has to see.
  var keptAlive: Link?

  private var streams = RecentTable<UInt64, any LinkStream>()
  private var lastID: UInt64 = 0
  /// The streams that have something to say at the end of the turn.
  private var owing: [any LinkStream] = []
  /// The buffer in which signals are written.
  private var scratch: [UInt8] = []

  init(to address: String, settings: FlowRemote.Settings) {
    self.address = address
    self.settings = settings
    loop = EventLoop(label: "flow.remote", platform: settings.platform)
    loop.queue.setSpecific(key: Self.onQueue, value: ObjectIdentifier(self))
    loop.turnWillEnd = { [weak self] in self?.settle() }
  }

  // MARK: Entries

  /// Whether the caller is on the queue.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.onQueue) == ObjectIdentifier(self)
  }

  /// Runs `work` on the queue: at once when already there.
  func perform(_ work: @escaping @Sendable (Link) -> Void) {
    if isCurrent { work(self) } else { loop.post { work(self) } }
  }

  /// Runs `work` in a turn of its own, when what came in has been read.
  func postpone(_ work: @escaping @Sendable () -> Void) {
    loop.post(work)
  }

  /// Sends a line with its line end, and awaits its answer.
  func command(_ line: [UInt8], _ answer: @escaping CommandAnswer) {
    switch phase {
    case .ended(let error): answer(.failure(error))
    case .connecting, .greeting: answer(.failure(.lost("not connected")))
    case .open(let connection): command(line, on: connection, answer)
    }
  }

  func command(_ line: [UInt8], on connection: Connection, _ answer: @escaping CommandAnswer) {
    let text = line.dropLast()
    // What is behind a line break would be a line of its own, with an answer of its own.
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

  /// Sends the commands that are held when the pause is over, if the connection still lasts.
  func pauseCommands() {
    let attempt = attempts.number
    settings.platform.run(after: CommandPace.pause) { [weak self] in
      self?.perform { link in
        guard link.attempts.number == attempt, let connection = link.connection else { return }
        for held in link.pace.resume() { link.command(held.line, on: connection, held.answer) }
      }
    }
  }

  /// The commands that have no answer yet, in order.
  func takeUnanswered() -> [PendingCommands.Answer] {
    pending.takeAll() + pace.resume().map { $0.answer }
  }

  /// Nanoseconds of the clock that round trips are measured with; from any thread.
  var now: UInt64 { loop.now }

  /// Records the time since `start`, when a command was sent, as a round trip.
  func measured(since start: UInt64) {
    let length = now - start
    roundTrip = min(length, roundTrip ?? length)
  }

  /// A new connection may take another way.
  func forgetRoundTrip() { roundTrip = nil }

  private func write(_ line: [UInt8], on connection: Connection) {
    settings.trace?(
      RemoteTrace(isInput: false, line: String(decoding: line.dropLast(), as: UTF8.self))
    )
    connection.append(line)
  }

  // MARK: Streams

  /// Gives a stream its id, with which it opens itself on this connection, or on the next one.
  func open(_ stream: any LinkStream & Sendable, named: @escaping @Sendable (StreamID) -> Void) {
    perform { link in
      if case .ended(let error) = link.phase { return stream.ended(error) }
      // It may have been cancelled before this ran on the loop.
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

  /// The number of streams, with those that are cancelled and wait for the answer.
  var streamCount: Int { streams.count }

  func stream(_ id: UInt64) -> (any LinkStream)? { streams[id] }

  /// Notifies `stream` after the values received so far.
  func afterValues(_ stream: any LinkStream) {
    if isReceiving { busy.append(stream) } else { stream.valuesPassed() }
  }

  /// Calls `stream` at the end of the turn, so that it can send what it owes.
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

  // MARK: Out

  var isOpen: Bool { connection != nil }

  /// The connection, if commands and values may go out on it.
  private var connection: Connection? {
    if case .open(let connection) = phase { connection } else { nil }
  }

  /// Whether the socket has as much to send as it should; once it has less, `socketDrained` says so.
  var isFull: Bool {
    guard let connection else { return true }
    // Only of a socket that did not take all is there news to come.
    if connection.unsent > Self.enoughUnsent { connection.flush() }
    return connection.isBlocked
  }

  /// Writes one signal, which has no answer.
  func write(_ signal: Command) {
    guard let connection else { return }
    scratch.removeAll(keepingCapacity: true)
    signal.write(into: &scratch)
    write(scratch, on: connection)
  }

  func writeValue(_ id: StreamID, _ payload: UnsafeRawBufferPointer) {
    guard let connection else { return }
    if let trace = settings.trace {
      unsafe trace(RemoteTrace(isInput: false, line: Self.text(id, payload)))
    }
    let prefix =
      unsafe FrameWriter.mustBeCounted(payload)
      ? FramePrefix(id, counting: payload.count) : FramePrefix(id)
    unsafe prefix.withUnsafeBytes { unsafe connection.append($0, payload, newline: true) }
  }

  static func text(_ id: StreamID, _ payload: UnsafeRawBufferPointer) -> String {
    unsafe "= \(id) \(String(decoding: payload, as: UTF8.self))"
  }

  /// Sends the waiting output, for a caller that keeps the queue busy.
  func flush() {
    connection?.flush()
  }
}

extension FrameLimits {
  /// As long as a server may be set to.
  static let client = FrameLimits(line: 1_048_576, value: 67_108_864)
}
