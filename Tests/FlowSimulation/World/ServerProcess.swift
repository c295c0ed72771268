import FlowLanguage
import FlowServerMain
import FlowTransport
import Glibc

/// The program `FlowServer` in a world, with its files, from its start to its end.
final class ServerProcess {
  /// Where the first one listens.
  static let address = "127.0.0.1:3569"
  static let place = try? SocketAddress(parsing: address)
  /// What may be said instead of a token where tokens are asked for, and is good for all.
  static let password = "all-of-it"
  /// Bytes that the process takes, of four times as many that it may.
  static let memory = 64 << 20
  /// Nanoseconds that it has to end what it has begun, before it ends itself.
  private static let patience: UInt64 = 2_500_000_000

  private static let definitions = "server.flow"
  private static let tokens = "tokens"

  private let world: World
  private let oracle: Oracle
  private let threads: Int
  private let chronicle: Chronicle
  /// Where it listens, and the file in which it says so.
  let address: String
  private let ports: String
  /// Whether it has a NATS; only then can it be killed.
  private let hasNATS: Bool
  private var owner: Strand.Owner?
  private var host: Host?
  /// What is left of those that were killed.
  private var killed: [(host: Host, owner: Strand.Owner)] = []
  private var needsToken = false
  private var isStopping = false
  /// When it was told to stop, and how long the machine had slept until then.
  private var stoppingSince: UInt64 = 0
  private var sleptBefore: UInt64 = 0

  init(
    _ world: World,
    _ oracle: Oracle,
    _ chronicle: Chronicle,
    threads: Int,
    hasNATS: Bool = false,
    isSecond: Bool = false
  ) {
    self.world = world
    self.oracle = oracle
    self.chronicle = chronicle
    self.threads = threads
    self.hasNATS = hasNATS
    address = isSecond ? "127.0.0.1:3570" : Self.address
    ports = isSecond ? "ports2" : "ports"
  }

  var place: SocketAddress? { try? SocketAddress(parsing: address) }
  var isRunning: Bool { host != nil }

  // MARK: Its files

  func write(definitions lines: [String]) {
    for line in lines {
      if line.hasPrefix("SUBJECT") { oracle.defines(subject: line) } else { oracle.mentions(line) }
    }
    write(["set drain 2s"] + lines, to: Self.definitions)
  }

  /// With no lines nobody is asked.
  func write(tokens lines: [String]) {
    if lines.isEmpty { return }
    needsToken = true
    write(["\(Self.password) all"] + lines, to: Self.tokens)
  }

  private func write(_ lines: [String], to file: String) {
    world.files[file] = Array(lines.map { "\($0)\n" }.joined().utf8)
  }

  /// Which of its files cannot be read for a while.
  func breaksFile(_ breaks: Bool) {
    let file = needsToken && world.dice.chance(50) ? Self.tokens : Self.definitions
    world.brokenFiles = breaks ? [file] : []
  }

  // MARK: Its life

  /// Returns whether it serves.
  func start() -> Bool {
    world.brokenFiles = []
    world.logged = { [weak self] text in self?.hears(log: text) }
    world.processEnded = { [weak self] in self?.endedItself() }
    owner = hasNATS ? Strand.Owner(waitsInTurns: false) : nil
    owner?.ended = { [weak self] in self?.endedItself() }
    var words = [
      "--config", Self.definitions, "--listen", address, "--http", "off",
      "--ports-file", ports,
    ]
    if hasNATS { words += ["--nats", SimulatedNATS.address] }
    words += ["--memory", "\(Self.memory * 4)", "--threads", "\(threads)", "--log-level", "debug"]
    if needsToken { words += ["--token-file", Self.tokens] }
    do throws(StartError) {
      let arguments = try ServerArguments(words, environment: [:])
      let log = ServerLog(level: arguments.logLevel, platform: world)
      host = try world.run(as: owner) { () throws(StartError) in
        try ServerProgram.start(arguments, log: log, on: world).host
      }
    } catch {
      chronicle.note("not started, code \(error.exit.rawValue): \(error)")
      return false
    }
    let told = world.files[ports].map { String(decoding: $0, as: UTF8.self) }
    if told != "tcp \(address)\n" {
      oracle.complain("the ports file says \(told ?? "nothing")")
    }
    return true
  }

  private func hears(log text: String) {
    for line in text.split(separator: "\n") { chronicle.note("log \(line)") }
  }

  /// What it was told by a signal to read again.
  func reload() { world.raise(SIGHUP, to: owner) }

  /// Tells it to stop at once, if it was told to stop.
  func hurry() {
    if isStopping { world.raise(SIGTERM, to: owner) }
  }

  /// Tells it to stop, and waits until it has.
  func stop() {
    forgetKilled()
    guard let host, !isStopping else { return }
    isStopping = true
    world.raise(SIGTERM, to: owner)
    stoppingSince = world.now
    sleptBefore = world.slept
    if !world.wait(for: host.stopped, atMost: 100_000_000_000) {
      oracle.complain("the server has not stopped")
    }
    isStopping = false
    world.forgetSignals(to: owner)
    self.host = nil
    world.run(for: 1_000_000_000)
    _ = world.wait(for: Disposal.group, atMost: 0)
  }

  /// Ends at once: nothing of what it had begun is heard of any more.
  func kill() {
    guard let host, let owner, !isStopping else { return }
    self.host = nil
    killed.append((host, owner))
    owner.ended = {}
    world.kill(owner)
    // What is left of it is cut off from all, and has its memory to give back.
    world.raise(SIGTERM, to: owner)
  }

  private func forgetKilled() {
    for (host, owner) in killed {
      if !world.wait(for: host.stopped, atMost: 100_000_000_000) {
        oracle.complain("what is left of a killed server does not end")
      }
      world.forgetSignals(to: owner)
    }
    killed = []
  }

  /// It has ended without having stopped, which it may only if the machine stood still meanwhile.
  private func endedItself() {
    guard isStopping, world.now >= stoppingSince + Self.patience else { return }
    if world.slept == sleptBefore { oracle.complain("the server had to end itself") }
  }
}
