package import FlowCore
internal import FlowFiles
public import FlowTransport
internal import FlowWire
internal import Dispatch

/// A Flow server: hosts subjects and pipelines for its clients.
///
/// Everything it owns is used on one serial queue. Call its methods from any thread except on that
/// queue.
public final class Server: Sendable {
  /// The version of this package, as in the greeting.
  public static let version = flowVersion

  private let engine: Engine

  /// Makes a server that does not listen yet.
  ///
  /// `log` is called on the server's queue and must not block; `print($0)` prints a line. Events
  /// below `logLevel` are left out.
  public convenience init(
    configuration: Configuration = Configuration(),
    logLevel: ServerLogEvent.Level = .info,
    log: @escaping @Sendable (ServerLogEvent) -> Void = { _ in }
  ) {
    self.init(
      configuration: configuration,
      platform: SystemPlatform.shared,
      logLevel: logLevel,
      log: log
    )
  }

  /// Takes sockets from `platform`, and time as well unless a test passes a `clock`.
  package init(
    configuration: Configuration,
    platform: any Platform,
    clock: VirtualTimeScheduler? = nil,
    logLevel: ServerLogEvent.Level = .info,
    log: @escaping @Sendable (ServerLogEvent) -> Void
  ) {
    engine = Engine(
      configuration: configuration,
      platform: platform,
      clock: clock,
      log: EventLog(level: logLevel, write: log)
    )
  }

  /// Ends the engine on its own queue, where nothing refers to it afterwards.
  deinit {
    engine.loop.post { [engine] in engine.end() }
    engine.loop.post { [engine] in engine.detach() }
  }

  /// Listens at `address`: `HOST:PORT`, `[HOST]:PORT` or `unix:PATH`; port 0 is any free port.
  ///
  /// If it is `behindProxy`, each connection must begin with a PROXY header, which is trusted: only
  /// the proxy should be able to connect.
  ///
  /// - Returns: the real address.
  public func listen(
    on address: String,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    let address = try SocketAddress(parsing: address)
    return try listen(with: .made(at: address), behindProxy: behindProxy)
  }

  /// Listens at `socket`, which is closed at the end; returns its address.
  package func listen(
    with socket: SocketToServe,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    try performListening { engine throws(TransportError) in
      let address = try engine.clients.listen(
        with: try socket.taken(for: engine.loop),
        behindProxy: behindProxy
      )
      engine.stores.join()
      return address
    }
  }

  /// Serves the live page, metrics and WebSockets at `address`; see `listen(on:behindProxy:)`.
  ///
  /// - Returns: the real address.
  public func serveWeb(
    on address: String,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    let address = try SocketAddress(parsing: address)
    return try serveWeb(with: .made(at: address), behindProxy: behindProxy)
  }

  /// Serves the web at `socket`, which is closed at the end.
  package func serveWeb(
    with socket: SocketToServe,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    try performListening { engine throws(TransportError) in
      try engine.web.listen(with: try socket.taken(for: engine.loop), behindProxy: behindProxy)
    }
  }

  /// Connects to the stores of subjects, and calls `done` when their names are known.
  package func whenNamesAreKnown(_ done: @escaping @Sendable () -> Void) {
    perform { engine in
      engine.stores.join()
      engine.stores.whenNamesAreKnown(done)
    }
  }

  private func performListening(
    _ listen: @escaping @Sendable (Engine) throws(TransportError) -> SocketAddress
  ) throws(TransportError) -> String {
    let result: Result<String, TransportError> = perform { engine in
      do throws(TransportError) {
        return .success(try listen(engine).description)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Makes the definitions in `text`, which is called `file` in reports.
  ///
  /// See `load(_:read:)`; `include` is not possible.
  public func load(_ text: String, file: String) throws(ConfigurationError) {
    _ = try apply(Script(text, name: file))
  }

  /// Makes the definitions in `files`, whose texts `read` returns.
  ///
  /// The server then has the definitions of these files and those of clients. Unchanged definitions
  /// from an earlier call stay. Changed pipelines are replaced, and their present users keep the
  /// old one. Changed subjects and runs are deleted and made again. Definitions that are missing
  /// now are deleted. If anything is wrong, nothing changes.
  ///
  /// - Returns: the changes, as lines for people.
  /// - Throws: a `ConfigurationError` with all mistakes, or what `read` throws.
  public func load<Failure: Error>(
    _ files: [String],
    read: (String) throws(Failure) -> String
  ) throws -> [String] {
    try apply(Script(files, read: read))
  }

  private func apply(_ script: Script) throws(ConfigurationError) -> [String] {
    let result: Result<[String], ConfigurationError> = performInTurns { engine, done in
      engine.apply(script, done)
    }
    return try result.get()
  }

  /// Replaces the tokens, and requires them from now on.
  ///
  /// A connection whose token is missing, or allows less than before, ends with `BYE revoked`; the
  /// others get the new rights of their tokens. Connections made before any token was required
  /// stay. With no tokens at all, nobody can connect.
  ///
  /// - Returns: how many connections were ended.
  @discardableResult
  public func replaceTokens(_ tokens: [Token]) -> Int {
    perform { $0.replaceTokens(tokens) }
  }

  /// Reports in `$events` and the log that files were read again.
  public func noteReload(_ changes: String) {
    perform { $0.notify(.reloaded(text: changes)) }
  }

  /// Reports in `$events` and the log that reading the files again failed.
  public func noteFailedReload(_ reason: String) {
    perform { $0.notify(.notReloaded(text: reason)) }
  }

  /// Rejects new connections, and ends when subscribers have the values that they requested.
  ///
  /// All connections are closed after `drain` seconds (by default the configuration's), or at a
  /// second call. `done` is called on the server's queue.
  public func stop(drain: Int? = nil, then done: @escaping @Sendable () -> Void) {
    engine.loop.post { [engine] in
      let seconds = drain.map { Int64(min(max($0, 0), 1 << 31)) }
      let drain = seconds.map { $0 * 1_000_000_000 } ?? engine.configuration.timeouts.drain
      engine.clients.stop(drain: drain, then: done)
    }
  }

  /// Whether the kernel has output for closed clients, which the process must not end before.
  package var hasOutputOnItsWay: Bool { perform { $0.loop.hasOutputOnItsWay } }

  /// The current turn of the loop, if there is one; callable from any thread.
  public var turnUnderWay: TurnUnderWay? { engine.turnUnderWay }

  /// How long requested values are still delivered when the server stops, in nanoseconds.
  public var drain: Int64 { perform { $0.configuration.timeouts.drain } }

  /// All settings that files can make, with their current values.
  package var settings: [SettingInForce] { perform { $0.settingsInForce } }

  /// Calls `answer` on the server's queue, in a turn of its own.
  public func probe(_ answer: @escaping @Sendable () -> Void) { engine.loop.post(answer) }

  /// Runs `body` in a turn of the loop and waits for it.
  package func perform<R: Sendable>(_ body: @escaping @Sendable (Engine) -> R) -> R {
    performInTurns { engine, done in done(body(engine)) }
  }

  /// Runs `body` in a turn of the loop, and waits until it has called what it is given, perhaps in a
  /// later turn.
  private func performInTurns<R: Sendable>(
    _ body: @escaping @Sendable (Engine, _ done: @escaping (R) -> Void) -> Void
  ) -> R {
    let done = DispatchSemaphore(value: 0)
    let box = ResultBox<R>()
    engine.loop.post { [engine] in
      engine.activity.record(.request)
      body(engine) { result in
        box.result = result
        done.signal()
      }
    }
    _ = engine.loop.platform.wait(for: done, atMost: nil)
    guard let result = box.result else { preconditionFailure("the loop has not done it") }
    return result
  }
}

private final class ResultBox<R: Sendable>: @unchecked Sendable {  // ordered by a semaphore
  var result: R?
}
