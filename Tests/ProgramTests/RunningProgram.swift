import Dispatch
import FlowTestSupport
import Glibc
import Synchronization
import Testing

/// A running program of the package, with pipes for its streams.
///
/// Foundation's `Process` sometimes keeps the end of a pipe open when several run at once.
final class RunningProgram: Sendable {
  struct Outcome: Equatable {
    var output: String
    var remarks: String
    /// The exit code, or 128 plus the number of the signal that ended the program.
    var status: Int32
  }

  struct CannotStart: Error {
    let name: String
    let errno: Int32
  }

  private struct State {
    var output: [UInt8] = []
    var remarks: [UInt8] = []
    var status: Int32?
    var inputIsOpen = true
  }

  private let name: String
  private let process: pid_t
  private let input: Int32
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)
  private let finished = DispatchGroup()

  /// Starts the program `name` from the folder of the tests, or from a path that begins with `/`.
  ///
  /// `environment` is the whole environment, as `NAME=VALUE`. Unless `readsOutput`, the reading end of
  /// its output is closed. It gets the sockets `passed` as from systemd.
  init(
    _ name: String,
    _ arguments: [String],
    environment: [String] = [],
    readsOutput: Bool = true,
    passed: [Int32] = []
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    let path = name.hasPrefix("/") ? name : try Self.folder() + "/" + name
    // One at a time, so that no program inherits the pipes of another.
    let (input, output, remarks, process) = try Self.starting.withLock { _ in
      let (input, output, remarks) = (Self.pipe(), Self.pipe(), Self.pipe())
      let descriptors = [input.read, output.write, remarks.write] + passed
      let process =
        try passed.isEmpty
        ? Self.spawn(path, arguments, environment, descriptors)
        // A shell sets LISTEN_PID, which must be the number of the new process.
        : Self.spawn(
          "/bin/sh",
          ["-c", #"LISTEN_PID=$$ exec "$0" "$@""#, path] + arguments,
          environment + ["LISTEN_FDS=\(passed.count)"],
          descriptors
        )
      return (input, output, remarks, process)
    }
    self.name = name
    self.process = process
    for descriptor in [input.read, output.write, remarks.write] { Glibc.close(descriptor) }
    self.input = input.write
    if readsOutput {
      collect(output.read) { $0.output += $1 }
    } else {
      Glibc.close(output.read)
    }
    collect(remarks.read) { $0.remarks += $1 }
    awaitExit()
  }

  // MARK: Input, output and signals

  func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    var room = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
    while !rest.isEmpty {
      guard poll(&room, 1, Int32(Patience.seconds * 1000)) != 0 else {
        return report("to read its input")
      }
      // A pipe with room takes up to 4,096 bytes without blocking.
      let count = rest.prefix(4096).withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func endInput() {
    let isFirst = state.withLock { state in
      defer { state.inputIsOpen = false }
      return state.inputIsOpen
    }
    if isFirst { Glibc.close(input) }
  }

  func kill(_ number: Int32) {
    Glibc.kill(process, number)
  }

  /// Waits until the output has `count` lines; returns all its lines.
  func waitForOutput(lines count: Int) -> [String] {
    wait(for: "to print line \(count)") { $0.output.count >= count }.output
  }

  /// Waits until standard error has `count` lines; returns all its lines.
  func waitForRemarks(lines count: Int) -> [String] {
    wait(for: "to print line \(count) to standard error") { $0.remarks.count >= count }.remarks
  }

  /// Closes its input and waits for its end.
  func finish() -> Outcome {
    endInput()
    return waitForEnd()
  }

  /// Like `waitForEnd`, but suspends the task, so that other tests run while the program waits for seconds.
  func end() async -> Outcome {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "end").async { continuation.resume(returning: self.waitForEnd()) }
    }
  }

  func waitForEnd() -> Outcome {
    if finished.wait(timeout: Patience.deadline) != .success {
      report("to end")
      kill(SIGKILL)
      _ = finished.wait(timeout: .now() + .seconds(5))
    }
    return state.withLock { state in
      Outcome(
        output: String(decoding: state.output, as: UTF8.self),
        remarks: String(decoding: state.remarks, as: UTF8.self),
        status: state.status ?? -1
      )
    }
  }

  /// The bytes of its output so far.
  var outputBytes: [UInt8] { state.withLock { $0.output } }

  // MARK: Parts

  private typealias Lines = (output: [String], remarks: [String])

  private func wait(for awaited: String, until isEnough: (Lines) -> Bool) -> Lines {
    let deadline = Patience.deadline
    while !isEnough(lines) {
      guard changed.wait(timeout: deadline) == .success else {
        report(awaited)
        break
      }
    }
    return lines
  }

  /// Records the failure that the program did not do what the test awaited.
  private func report(_ awaited: String) {
    Issue.record("waited \(Patience.seconds) s for \(name) \(awaited)")
  }

  private var lines: Lines {
    func split(_ bytes: [UInt8]) -> [String] {
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    return state.withLock { (split($0.output), split($0.remarks)) }
  }

  private func collect(
    _ descriptor: Int32,
    _ add: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void
  ) {
    finished.enter()
    DispatchQueue(label: "program").async { @Sendable [self] in
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        state.withLock { add(&$0, buffer[..<count]) }
        changed.signal()
      }
      Glibc.close(descriptor)
      changed.signal()
      finished.leave()
    }
  }

  private func awaitExit() {
    finished.enter()
    DispatchQueue(label: "program").async { @Sendable [self] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let number = status & 0x7F
      let code = number == 0 ? (status >> 8) & 0xFF : 128 + number
      state.withLock { $0.status = code }
      changed.signal()
      finished.leave()
    }
  }

  private static let starting = Mutex(())

  /// The folder of the built programs.
  static func folder() throws -> String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, let end = path[..<count].lastIndex(of: UInt8(ascii: "/")) else {
      throw CannotStart(name: "/proc/self/exe", errno: errno)
    }
    return String(decoding: path[..<end], as: UTF8.self)
  }

  private static func pipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    Glibc.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts a program with `descriptors` as its descriptors from 0, and default signal handling.
  private static func spawn(
    _ path: String,
    _ arguments: [String],
    _ environment: [String],
    _ descriptors: [Int32]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, source) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
    guard failure == 0 else { throw CannotStart(name: path, errno: failure) }
    return process
  }
}
