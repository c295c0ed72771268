@unsafe @preconcurrency import Glibc  // for `environ`, which nobody here changes
import FlowTransport
import Synchronization

/// A command in its own process group, with pipes for its standard streams.
final class ChildProcess: Sendable {
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// This process's ends of the pipes; the owner closes them.
  let input: Int32
  let output: Int32
  let errors: Int32
  private let number: pid_t
  private let isReaped = Mutex(false)

  /// Starts a command, found by `PATH`, with default signal handling.
  ///
  /// Its words must not contain zero bytes.
  init(_ words: [[UInt8]]) throws(ClientError) {
    let pipes = [Pipe(), Pipe(), Pipe()]
    let theirs = [pipes[0].read, pipes[1].write, pipes[2].write]
    let ours = [pipes[0].write, pipes[1].read, pipes[2].read]
    defer { for end in theirs { close(end) } }
    do throws(ClientError) {
      number = try Self.spawn(words, theirs)
    } catch {
      for end in ours { close(end) }
      throw error
    }
    for end in ours { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    (input, output, errors) = (ours[0], ours[1], ours[2])
  }

  /// Sends a signal to the process group.
  func signal(_ signal: Int32) {
    isReaped.withLock { if !$0 { kill(-number, signal) } }
  }

  func wait() -> Ending {
    var info = unsafe siginfo_t()
    // Leaves the process unreaped, so that its number is not reused, until nobody can signal it.
    while unsafe waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return isReaped.withLock { isReaped in
      isReaped = true
      var status: Int32 = 0
      while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }
  }

  private static func spawn(
    _ words: [[UInt8]],
    _ descriptors: [Int32]
  ) throws(ClientError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (target, source) in descriptors.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { word in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
      for (index, byte) in (word + [0]).enumerated() {
        unsafe (copy + index).initialize(to: CChar(bitPattern: byte))
      }
      return unsafe copy
    }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe $0?.deallocate() } }
    var number: pid_t = 0
    let name = String(decoding: words.first ?? [], as: UTF8.self)
    let failure = Pipe.inheriting.withLock { _ in
      unsafe posix_spawnp(&number, name, &actions, &attributes, arguments, environ)
    }
    guard failure == 0 else {
      throw ClientError(.no, "\(TransportError("cannot run \(name)", failure))")
    }
    return number
  }
}

/// A close-on-exec pipe.
struct Pipe {
  let read: Int32
  let write: Int32

  /// Held while a process starts, which would otherwise inherit a new pipe.
  static let inheriting = Mutex(())

  init() {
    var ends: [Int32] = [-1, -1]
    Self.inheriting.withLock { _ in
      unsafe pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    (read, write) = (ends[0], ends[1])
  }

  /// Reads what is available; returns nil at the end.
  static func bytes(from end: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = unsafe Glibc.read(end, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil }
    return Array(buffer[..<count])
  }

  static func hasBytes(_ end: Int32) -> Bool {
    var count: Int32 = 0
    return unsafe ioctl(end, UInt(FIONREAD), &count) == 0 && count > 0
  }
}
