package import FlowCore
internal import FlowFiles
public import FlowTransport
internal import FlowWire
internal import Dispatch

/// A Flow server: hosts subjects and pipelines for whoever connects.
///
/// Everything it owns is touched on one serial queue; its methods may be called from any thread
/// except that queue.
public final class Server: Sendable {
  /// The version of this package, as the greeting tells it.
  public static let version = flowVersion

  private let engine: Engine

  /// Makes a server that does not listen yet.
  ///
  /// `log` is called with what happens, on the server's queue, for which it must not wait; `print($0)`
  /// prints a line. What matters less than `logLevel` is left out.
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

  /// Makes a server that takes its sockets from `platform`, and its time as well unless a test holds the `clock`.
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

  /// The engine ends on its own queue.
  ///
  /// Whichever thread lets go of it last does so when nothing on the queue refers to it any more.
  deinit {
    engine.loop.post { [engine] in engine.end() }
    engine.loop.post { [engine] in engine.detach() }
  }

  /// Takes connections at `address`: `HOST:PORT`, `[HOST]:PORT` or `unix:PATH`; port 0 is any.
  ///
  /// If the server is `behindProxy` there, each connection has to begin with a header of the PROXY
  /// protocol, which is believed: nobody but the proxy should be able to connect.
  ///
  /// - Returns: the real address.
  public func listen(
    on address: String,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    let address = try SocketAddress(parsing: address)
    return try listen(with: .made(at: address), behindProxy: behindProxy)
  }

  /// Takes connections at `socket`, which may listen already; it is closed at the end.
  ///
  /// - Returns: its address.
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

  /// Serves the live page, its figures, the metrics and sessions by WebSocket at `address`, as
  /// `listen(on:behindProxy:)` takes it.
  ///
  /// - Returns: the real address.
  public func serveWeb(
    on address: String,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    let address = try SocketAddress(parsing: address)
    return try serveWeb(with: .made(at: address), behindProxy: behindProxy)
  }

  /// The same at `socket`, which may listen already; it is closed at the end.
  package func serveWeb(
    with socket: SocketToServe,
    behindProxy: Bool = false
  ) throws(TransportError) -> String {
    try performListening { engine throws(TransportError) in
      try engine.web.listen(with: try socket.taken(for: engine.loop), behindProxy: behindProxy)
    }
  }

  /// Connects to the stores of subjects, and calls `done` when the names there are known.
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

  /// Makes subjects, pipelines and runs as the lines of `text` say, a file named `file`.
  ///
  /// See `load(_:read:)`; an `include` finds nothing.
  public func load(_ text: String, file: String) throws(ConfigurationError) {
    _ = try apply(Script(text, name: file))
  }

  /// Makes subjects, pipelines and runs as the `files` say, which `read` gives the text of.
  ///
  /// The server then has what these files say and what clients have defined. What an earlier call
  /// has made stays as it is where it is said again; pipelines that are said otherwise are
  /// replaced, and those who use the old one go on with it; subjects and runs that are said
  /// otherwise are deleted and made anew, and what is no longer said is deleted. With an error
  /// nothing changes.
  ///
  /// - Returns: what has changed, in lines for people.
  /// - Throws: a `ConfigurationError` with all that is wrong, or what `read` throws.
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

  /// Asks for one of `tokens` from now on.
  ///
  /// A connection whose token is no longer there, or no longer good for all that it was good for,
  /// ends with `BYE revoked`; the others have what their tokens are good for now. Connections that
  /// came when nobody was asked stay as they are. Once the server asks it always does: with no
  /// tokens at all nobody is let in.
  ///
  /// - Returns: how many connections have ended.
  @discardableResult
  public func replaceTokens(_ tokens: [Token]) -> Int {
    perform { $0.replaceTokens(tokens) }
  }

  /// Tells in `$events` and in the log that files were read again, and what has changed.
  public func noteReload(_ changes: String) {
    perform { $0.notify(.reloaded(text: changes)) }
  }

  /// Tells in `$events` and in the log that nothing has changed, since files are wrong or cannot be
  /// read.
  public func noteFailedReload(_ reason: String) {
    perform { $0.notify(.notReloaded(text: reason)) }
  }

  /// Takes no more connections, and goes when subscribers have what they asked for.
  ///
  /// After `drain` seconds, or those of the configuration, or at a second call, all connections are
  /// closed in any case. `done` is called on the server's queue.
  public func stop(drain: Int? = nil, then done: @escaping @Sendable () -> Void) {
    engine.loop.post { [engine] in
      let seconds = drain.map { Int64(min(max($0, 0), 1 << 31)) }
      let drain = seconds.map { $0 * 1_000_000_000 } ?? engine.configuration.drain
      engine.clients.stop(drain: drain, then: done)
    }
  }

  /// Whether the kernel has output for clients that the server has said goodbye to; if the process ends
  /// before they have it, it may be lost.
  package var hasOutputOnItsWay: Bool { perform { $0.loop.hasOutputOnItsWay } }

  /// The turn of the loop that is under way, if one is; from any thread.
  public var turnUnderWay: TurnUnderWay? { engine.turnUnderWay }

  /// How long subscribers are given what they have asked for while the server stops, in
  /// nanoseconds.
  public var drain: Int64 { perform { $0.configuration.drain } }

  /// All settings that files can make, as they are now.
  package var settings: [SettingInForce] { perform { $0.settingsInForce } }

  /// Calls `answer` on the server's queue, in a turn of its own.
  public func probe(_ answer: @escaping @Sendable () -> Void) { engine.loop.post(answer) }

  /// Runs `body` as a turn of the loop and waits for it.
  func perform<R: Sendable>(_ body: @escaping @Sendable (Engine) -> R) -> R {
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

/// Carries a result from the loop to the thread that waits for it.
private final class ResultBox<R: Sendable>: @unchecked Sendable {  // ordered by a semaphore
  var result: R?
}
