internal import Glibc
internal import Synchronization

/// A nats-server on its own loopback address, with JetStream in a temporary folder.
public final class NATSServer: Sendable {
  /// The program's path; `nil` if it is not on the PATH.
  public static let program: String? = {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").map { "\($0)/nats-server" }
      .first { access($0, X_OK) == 0 }
  }()

  /// The reason that a test gives when it is skipped without a nats-server.
  public static let missing = "needs nats-server"

  /// Its address, as `HOST:PORT`.
  public let address: String
  private let host: UInt32
  private let folder: String
  private let options: [String]
  private let process = Mutex<pid_t?>(nil)

  /// Starts a nats-server with additional `options`, and waits until it greets a client.
  public init(_ options: String...) throws {
    guard Self.program != nil else { throw TestFailure(Self.missing) }
    let name = Loopback.address().split(separator: ":")[0]
    host = name.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    address = "\(name):4222"
    var template = Array("/tmp/flow-nats-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: errno \(errno)") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.options = ["-a", String(name), "-p", "4222", "-js", "-sd", folder, "-n", folder] + options
    try start()
  }

  deinit {
    kill()
    _ = try? Self.run("/bin/rm", ["-rf", folder]).map { waitpid($0, nil, 0) }
  }

  /// Starts it again, after `kill`, with the same address and folder.
  public func start() throws {
    guard let program = Self.program else { throw TestFailure(Self.missing) }
    let new = try Self.run(program, options)
    process.withLock { $0 = new }
    try Patience.wait(for: "a greeting of nats-server on \(address)") {
      guard let client = try? TestClient(port: 4222, host: host),
        let line = try? client.line(), line.hasPrefix("INFO")
      else { return false }
      // A killed test run may have left another nats-server on this address.
      guard line.contains("\"\(folder)\"") else {
        throw TestFailure("another nats-server listens on \(address)")
      }
      return true
    }
  }

  /// Kills it with SIGKILL.
  public func kill() {
    guard let number = process.withLock({ $0.take() }) else { return }
    Glibc.kill(number, SIGKILL)
    waitpid(number, nil, 0)
  }

  /// Freezes it until `goOn`: it keeps its connections, but neither reads nor writes.
  public func stop() { signal(SIGSTOP) }

  public func goOn() { signal(SIGCONT) }

  private func signal(_ signal: Int32) {
    process.withLock { if let number = $0 { _ = Glibc.kill(number, signal) } }
  }

  /// Starts a program with this process's environment, and discards its output.
  @discardableResult
  private static func run(_ program: String, _ arguments: [String]) throws -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 {
      posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, &actions, nil, &words, environ)
    guard failure == 0 else { throw TestFailure("\(program): errno \(failure)") }
    return process
  }
}
