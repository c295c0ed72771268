package import Dispatch
import FlowNATSBackend
package import FlowServer
import FlowTransport
import Glibc
import Synchronization

/// Runs a server in its process: signals, descriptors, addresses.
///
/// Signal handlers are made here and not in `main`, because closures there belong to the main
/// thread.
package final class Host: Sendable {
  package let server: Server

  /// The stores that subjects may live in.
  static let stores: [SubjectStoreKind] = [.nats]

  private let manager: ServiceManager?
  private let stopping = Atomic(false)
  /// How long the server may take to stop, in nanoseconds.
  private let drain = Atomic(Configuration().timeouts.drain)
  /// When a stopping server must have ended, by the platform's clock.
  private let deadline = Atomic<UInt64>(0)
  /// Signalled when the server has stopped.
  package let stopped = DispatchSemaphore(value: 0)
  private let platform: any Platform
  private let log: ServerLog
  /// The result of the last reading.
  private let reading = Mutex(DefinitionFiles.Reading())

  /// Makes a server that logs to `log`; clients need one of `tokens` unless that is nil.
  init(
    log: ServerLog,
    tokens: [Token]? = nil,
    threads: Int = 1,
    memory: Int? = nil,
    nats: [String] = [],
    natsLogin: NATSCredentials = .none,
    webOrigins: [String] = [],
    webShowsValues: Bool = false,
    manager: ServiceManager? = nil,
    platform: any Platform = SystemPlatform.shared
  ) {
    self.log = log
    self.manager = manager
    var configuration = Configuration()
    configuration.stores = Self.stores
    configuration.tokens = tokens ?? []
    configuration.needsToken = tokens != nil
    configuration.threads = threads
    if let memory {
      configuration.memory = memory
      configuration.settled.insert("memory")
    }
    configuration.nats.servers = nats
    if !nats.isEmpty { configuration.settled.insert("nats") }
    configuration.nats.login = natsLogin
    configuration.webOrigins = webOrigins
    configuration.webShowsValues = webShowsValues
    self.platform = platform
    server = Server(configuration: configuration, platform: platform, logLevel: log.level) {
      @Sendable in log.log($0)
    }
    // Before listening, because Dispatch opens descriptors of its own here.
    watchSignals()
  }

  /// Listens at `sockets` and on `addresses`; returns the real addresses.
  func listen(
    at sockets: [any ListeningSocket] = [],
    on addresses: [String],
    forPage: Bool = false,
    behindProxy: Bool = false,
    isOpen: Bool
  ) throws(StartError) -> [String] {
    let places = sockets.map(\.address.description) + addresses
    if behindProxy {
      try ListenAddress.check(proxies: places, isOpen: isOpen)
    } else {
      try ListenAddress.check(places, isOpen: isOpen)
    }
    return try refusing { () throws(TransportError) in
      var all = sockets.map { SocketToServe.passed($0) }
      for address in addresses { all.append(.made(at: try SocketAddress(parsing: address))) }
      var real: [String] = []
      for socket in all {
        real.append(
          try forPage
            ? server.serveWeb(with: socket, behindProxy: behindProxy)
            : server.listen(with: socket, behindProxy: behindProxy)
        )
      }
      return real
    }
  }

  /// Listens at the usual addresses; returns the real ones.
  ///
  /// The second address needs IPv6. If the first is taken and the server `mayMove`, it takes a free
  /// port.
  func listenAsUsual(mayMove: Bool) throws(StartError) -> [String] {
    var real: [String] = []
    do throws(TransportError) {
      real.append(try server.listen(on: ListenAddress.usual[0]))
    } catch {
      guard mayMove, error.errno == EADDRINUSE else { throw refusal(of: error) }
      return try listen(on: [ListenAddress.free], isOpen: false)
    }
    do throws(TransportError) {
      real.append(try server.listen(on: ListenAddress.usual[1]))
    } catch {
      guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errno) else { throw refusal(of: error) }
      log.log(.debug, "no-ipv6", "no IPv6 here: \(error)")
    }
    return real
  }

  /// Serves the live page at `sockets` and at `place`; returns the real addresses.
  ///
  /// Without an explicit place it is served nowhere if there are sockets, or if the server
  /// `isElsewhere`. If the usual address is taken, it takes a free port if it `mayMove`, else none.
  func serveWeb(
    at sockets: [any ListeningSocket] = [],
    and place: WebPlace,
    isElsewhere: Bool,
    mayMove: Bool,
    isOpen: Bool
  ) throws(StartError) -> [String] {
    var real = try listen(at: sockets, on: [], forPage: true, isOpen: isOpen)
    switch place {
    case .none where sockets.isEmpty: break
    case .none:
      throw StartError(.badConfiguration, "a socket for the page was passed, but --http is off")
    case .at(let address):
      try ListenAddress.check([address], isOpen: isOpen)
      do throws(TransportError) {
        real.append(try server.serveWeb(on: address))
      } catch {
        let advice = "choose another address, as --http 127.0.0.1:0, or --http off"
        throw StartError(.unavailable, error.description, advice: advice)
      }
    case .usual where isElsewhere || !sockets.isEmpty: break
    case .usual:
      do throws(TransportError) {
        real.append(try server.serveWeb(on: WebPlace.usualAddress))
      } catch {
        if mayMove, error.errno == EADDRINUSE {
          return try listen(on: [ListenAddress.free], forPage: true, isOpen: false)
        }
        let text = "no page: \(error); --http ADDRESS chooses another address"
        log.log(.warning, "no-page", text)
      }
    }
    return real
  }

  private func refusing<R>(_ listen: () throws(TransportError) -> R) throws(StartError) -> R {
    do throws(TransportError) {
      return try listen()
    } catch {
      throw refusal(of: error)
    }
  }

  private func refusal(of error: TransportError) -> StartError {
    let advice =
      error.errno == EADDRINUSE
      ? "choose another address, for example --listen 127.0.0.1:0" : nil
    return StartError(.unavailable, error.description, advice: advice)
  }

  /// Waits for SIGTERM or SIGINT, and until the server has stopped.
  func serveUntilStopped() {
    Watchdog(server, log: log, manager: manager).start()
    manager?.ready()
    _ = platform.wait(for: stopped, atMost: nil)
    let nobody = DispatchSemaphore(value: 0)
    while platform.monotonicNanoseconds < deadline.load(ordering: .relaxed),
      server.hasOutputOnItsWay
    {
      _ = platform.wait(for: nobody, atMost: 10_000_000)
    }
  }

  private func watchSignals() {
    for number in [SIGTERM, SIGINT] { watch(number) { [self] in stop() } }
  }

  /// Waits up to 5 s until the subjects in NATS are known.
  func meetNATS() {
    let isKnown = DispatchSemaphore(value: 0)
    server.whenNamesAreKnown { isKnown.signal() }
    for _ in 0..<50 where !stopping.load(ordering: .relaxed) {
      if platform.wait(for: isKnown, atMost: 100_000_000) { return }
    }
  }

  /// Reads `files`, which may be pipes if `mayWait`, and makes the server match.
  @discardableResult
  func load(
    _ files: DefinitionFiles,
    mayWait: Bool = true
  ) throws(StartError) -> DefinitionFiles.Reading {
    let new = try files.load(
      into: server,
      from: platform,
      after: reading.withLock { $0 },
      mayWait: mayWait
    )
    reading.withLock { $0 = new }
    // Stored now, because a server that hangs while stopping may not answer.
    drain.store(server.drain, ordering: .relaxed)
    return new
  }

  /// Reads `files` and the token file again at SIGHUP; any error leaves all as it is.
  func reloadOnSignal(_ files: DefinitionFiles, tokens file: TokenFile?) {
    watch(SIGHUP) { [self] in
      manager?.reloading()
      defer { manager?.ready() }
      do throws(StartError) {
        // Reading a pipe could block the queue that handles all signals.
        let tokens = try file?.read(mayWait: false)
        file?.warn(log)
        var changes = try load(files, mayWait: false).changes
        if let tokens {
          let ended = server.replaceTokens(tokens)
          let count = tokens.count == 1 ? "1 token" : "\(tokens.count) tokens"
          changes.append("\(count) for new connections")
          if ended > 0 { changes.append("connections ended because of revoked tokens: \(ended)") }
        }
        server.noteReload(changes.joined(separator: "; "))
      } catch {
        let first = error.advice.map { ": \($0.prefix { !$0.isNewline })" } ?? ""
        server.noteFailedReload(error.message + first)
        for mistake in error.mistakes.dropFirst() { log.log(.warning, "mistake", mistake) }
      }
    }
  }

  private func watch(_ number: Int32, _ act: @escaping @Sendable () -> Void) {
    platform.watchSignal(number) { @Sendable [log] in
      log.log(.debug, "signal", "signal \(number)", [.number("number", Int(number))])
      act()
    }
  }

  /// Drains the server at the first signal, and exits at the second.
  ///
  /// The process also exits when the deadline has passed, even if the loop hangs.
  private func stop() {
    manager?.stopping()
    var time = Self.grace
    if !stopping.exchange(true, ordering: .relaxed) {
      log.log(
        .info,
        "stopping",
        "stopping: delivering what was requested; a second signal stops at once"
      )
      time += drain.load(ordering: .relaxed)
      let end = platform.monotonicNanoseconds + UInt64(drain.load(ordering: .relaxed))
      deadline.store(end, ordering: .relaxed)
    } else {
      deadline.store(0, ordering: .relaxed)
    }
    platform.run(after: UInt64(time)) { @Sendable [log, platform] in
      log.log(.error, "exiting", "the server did not stop in time; exiting")
      log.flush()
      platform.endProcess(ServerExit.done.rawValue)
    }
    server.stop { @Sendable [self] in stopped.signal() }
  }

  /// How long past the deadline the server may take to stop by itself, in nanoseconds.
  private static let grace: Int64 = 500_000_000
}
