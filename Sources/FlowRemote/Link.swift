import Dispatch
import FlowTransport
import FlowWire
import Synchronization

/// The connection behind a `Remote`: frames in and out, answers in order, streams by their ids.
///
/// All of it belongs to the loop's queue, which makes it safe to share; other threads come in
/// through `perform`. It lives until its connection is closed.
final class Link: @unchecked Sendable {
  typealias CommandAnswer = (Result<RemoteAnswer, RemoteError>) -> Void

  private static let onQueue = DispatchSpecificKey<ObjectIdentifier>()
  /// More than this many octets unsent help nobody.
  private static let enoughUnsent = 256 * 1024

  let trace: (@Sendable (RemoteTrace) -> Void)?
  let draining: (@Sendable (UInt64) -> Void)?
  var decoder = FrameDecoder(limits: FrameLimits(line: 1_048_576, value: 67_108_864))
  var answers = AnswerQueue()
  /// The streams that want to know when the values at hand are through.
  var busy: [any LinkStream] = []
  var isReceiving = false
  /// Whoever waits for the server's first line, and that line if it came before.
  private var awaitsGreeting: ((Result<Greeting, RemoteError>) -> Void)?
  private var greeting: Greeting?
  /// Itself, until its connection is closed.
  private var keptAlive: Link?
  /// Set for good when the connection is gone.
  private(set) var failure: RemoteError?

  private let loop: EventLoop
  private var closed: (@Sendable (RemoteError) -> Void)?
  private var connection: Connection?
  private var streams: [UInt64: any LinkStream] = [:]
  private var lastStream: (id: UInt64, stream: any LinkStream)?
  private var lastID: UInt64 = 0

  private init(loop: EventLoop, settings: Remote.Settings) {
    self.loop = loop
    trace = settings.trace
    draining = settings.draining
    closed = settings.closed
    loop.queue.setSpecific(key: Self.onQueue, value: ObjectIdentifier(self))
  }

  static func connect(
    to address: String,
    settings: Remote.Settings
  ) throws(RemoteError) -> Link {
    let link = Link(loop: EventLoop(label: "flow.remote"), settings: settings)
    try link.loop.dial(address, patience: settings.patience, handler: link) { connection in
      link.connection = connection
      link.keptAlive = link
    }
    return link
  }

  /// Waits for `HI`, says `HELLO` and waits for its answer.
  func greet(_ settings: Remote.Settings) throws(RemoteError) -> Greeting {
    let outcome = Mutex<Result<Greeting, RemoteError>?>(nil)
    let arrived = DispatchSemaphore(value: 0)
    let hello = "HELLO 1" + (settings.name.map { " name=\($0)" } ?? "")
    perform { link in
      link.greet(hello) { result in
        outcome.withLock { $0 = result }
        arrived.signal()
      }
    }
    _ = arrived.wait(timeout: .now() + .milliseconds(settings.patience.inMilliseconds))
    guard let result = outcome.withLock({ $0 }) else {
      close()
      throw RemoteError(code: RemoteError.timeout, message: "the server does not greet")
    }
    return try result.get()
  }

  private func greet(
    _ hello: String,
    _ done: @escaping (Result<Greeting, RemoteError>) -> Void
  ) {
    if let failure { return done(.failure(failure)) }
    awaitsGreeting = { [unowned self] result in
      awaitsGreeting = nil
      switch result {
      case .failure(let error): done(.failure(error))
      case .success(let greeting): command(hello) { done($0.map { _ in greeting }) }
      }
    }
    if let greeting { awaitsGreeting?(.success(greeting)) }
  }

  func greeted(_ greeting: Greeting) {
    self.greeting = greeting
    awaitsGreeting?(.success(greeting))
  }

  // MARK: Entries

  /// Runs `work` on the queue: at once when already there.
  func perform(_ work: @escaping @Sendable (Link) -> Void) {
    if DispatchQueue.getSpecific(key: Self.onQueue) == ObjectIdentifier(self) {
      work(self)
    } else {
      loop.post { work(self) }
    }
  }

  func command(_ line: String, _ answer: @escaping CommandAnswer) {
    if let failure { return answer(.failure(failure)) }
    answers.await(answer)
    write(line)
  }

  func close() {
    perform { $0.end(RemoteError(code: RemoteError.closed, message: "closed here")) }
  }

  /// Ends everything; only the first reason counts.
  func end(_ error: RemoteError) {
    guard failure == nil else { return }
    failure = error
    connection?.close()
    connection = nil
    awaitsGreeting?(.failure(error))
    for answer in answers.takeAll() { answer(.failure(error)) }
    for stream in streams.values { stream.ended(error) }
    streams = [:]
    lastStream = nil
    closed?(error)
    closed = nil
  }

  /// Lives on to the end of this turn, which its connection and its loop have to see.
  func letGo() {
    loop.post { self.keptAlive = nil }
  }

  // MARK: Streams

  func register(_ stream: any LinkStream) -> StreamID {
    lastID += 1
    streams[lastID] = stream
    return StreamID(rawValue: lastID)
  }

  func forget(_ id: StreamID) {
    streams[id.rawValue] = nil
    if lastStream?.id == id.rawValue { lastStream = nil }
  }

  func stream(_ id: UInt64) -> (any LinkStream)? {
    if let lastStream, lastStream.id == id { return lastStream.stream }
    guard let stream = streams[id] else { return nil }
    lastStream = (id, stream)
    return stream
  }

  /// Has `stream` told when the values at hand are through.
  func afterValues(_ stream: any LinkStream) {
    if isReceiving { busy.append(stream) } else { stream.valuesPassed() }
  }

  func socketDrained() {
    for stream in streams.values { stream.socketDrained() }
  }

  // MARK: Out

  /// Whether the socket has as much to send as it should.
  var isFull: Bool {
    guard let connection else { return true }
    return connection.isBlocked || connection.unsent > Self.enoughUnsent
  }

  func write(_ line: String) {
    guard let connection else { return }
    trace?(RemoteTrace(isInput: false, line: line))
    connection.append("\(line)\n")
  }

  func writeValue(_ id: StreamID, _ payload: UnsafeRawBufferPointer) {
    guard let connection else { return }
    if let trace {
      let text = String(decoding: payload, as: UTF8.self)
      trace(RemoteTrace(isInput: false, line: "= \(id) \(text)"))
    }
    let prefix =
      FrameWriter.mustBeCounted(payload)
      ? FramePrefix(id, counting: payload.count) : FramePrefix(id)
    prefix.withUnsafeBytes { connection.append($0, payload, newline: true) }
  }

  /// Sends what is there, for whoever keeps the queue busy.
  func flush() {
    connection?.flush()
  }
}
