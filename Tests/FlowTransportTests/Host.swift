import Dispatch
import FlowTestSupport

@testable import FlowTransport

/// A loop that listens on a port of its own, with handlers that note what they are told.
final class Host {
  let loop: EventLoop
  let journal: Journal
  let address: SocketAddress
  private let stage: Stage

  convenience init(
    on address: String = Loopback.address(),
    platform: SystemPlatform? = nil,
    prepare: (EventLoop) -> Void = { _ in },
    farewell: [UInt8] = [],
    turnedAway: @escaping @Sendable () -> Void = {},
    handler: @escaping () -> Script
  ) throws {
    try self.init(
      with: .made(at: try SocketAddress(parsing: address)),
      platform: platform,
      prepare: prepare,
      farewell: farewell,
      turnedAway: turnedAway,
      handler: handler
    )
  }

  init(
    with socket: SocketToServe,
    platform: SystemPlatform? = nil,
    prepare: (EventLoop) -> Void = { _ in },
    farewell: [UInt8] = [],
    turnedAway: @escaping @Sendable () -> Void = {},
    handler: @escaping () -> Script
  ) throws {
    let journal = Journal()
    loop = EventLoop(label: "test", platform: platform ?? SystemPlatform.shared)
    prepare(loop)
    let stage = Stage()
    let listener = try loop.queue.sync { [loop] in
      try loop.listen(
        with: try socket.taken(for: loop),
        farewell: farewell,
        turnedAway: turnedAway
      ) { [unowned stage] connection in
        let script = handler()
        script.journal = journal
        stage.scripts.append(script)
        connection.handler = script
        script.opened(connection)
      }
    }
    stage.listener = listener
    self.stage = stage
    self.journal = journal
    address = listener.address
  }

  /// Runs work as a turn of the loop and waits for it.
  func turn(_ work: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    loop.post(work)
    loop.post { done.signal() }
    return done.wait(timeout: Patience.deadline) == .success
  }

  /// Stops listening, and waits until that is done.
  func close() {
    let stage = stage
    _ = turn { stage.listener?.close() }
    _ = turn {}
  }

  deinit {
    close()
  }
}

/// Unchecked: set once, then used on the loop's queue only.
private final class Stage: @unchecked Sendable {
  var listener: Listener?
  var scripts: [Script] = []
}

/// A handler to be overridden where it matters; each event is noted as well.
///
/// Unchecked: used on the loop's queue only.
class Script: ConnectionHandler, @unchecked Sendable {
  fileprivate(set) var journal = Journal()

  func opened(_ connection: Connection) {}

  func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int { bytes.count }

  func ended(_ connection: Connection) {
    connection.close()
  }

  func drained(_ connection: Connection) {}

  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    received(connection, buffer)
  }

  func connectionInputEnded(_ connection: Connection) {
    journal.note("ended")
    ended(connection)
  }

  func connectionDrained(_ connection: Connection) {
    journal.note("drained")
    drained(connection)
  }

  func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    journal.note(error.map { "closed: \($0.message)" } ?? "closed")
  }
}

/// Sends back what it gets.
final class Echo: Script, @unchecked Sendable {
  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    connection.append(bytes)
    return bytes.count
  }

  override func ended(_ connection: Connection) {
    connection.closeAfterFlush()
  }
}

extension Connection {
  /// Adds a string's UTF-8.
  func append(_ text: String) { append(Array(text.utf8)) }
}
