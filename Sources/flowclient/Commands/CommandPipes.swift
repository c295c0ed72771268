import Glibc

/// Waits for the pipes of a command, and reads and writes them.
struct CommandPipes {
  private let wakeUp: WakeUp
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var ready: [Int16] = [0, 0, 0, 0]
  private var mayReadOutput = false
  /// Whether the last wait timed out.
  private(set) var isImpatient = false

  init(_ child: ChildProcess, _ wakeUp: WakeUp) {
    self.wakeUp = wakeUp
    (input, output, errors) = (child.input, child.output, child.errors)
  }

  /// Whether the command may still write.
  var isOpen: Bool { output >= 0 || errors >= 0 }

  /// Waits until a pipe is ready or a wish arrives, for at most `patience` seconds.
  ///
  /// Without `wantsOutput` it notices the end of the output but reads nothing.
  mutating func wait(hasInput: Bool, wantsOutput: Bool, patience: Int32?) {
    if !hasInput { Self.close(&input) }
    mayReadOutput = wantsOutput
    // If the output is unwanted and the command has exited, only demand can change anything.
    let watchesOutput = wantsOutput || !Pipe.hasBytes(output)
    var entries = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: watchesOutput ? output : -1, events: wantsOutput ? Int16(POLLIN) : 0, revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&entries, 4, patience.map { $0 * 1000 } ?? -1)
    isImpatient = count == 0
    ready = entries.map(\.revents)
    if ready[0] != 0 { wakeUp.clear() }
  }

  mutating func write(_ rest: inout ArraySlice<UInt8>) {
    guard ready[1] != 0 else { return }
    let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      // The command has closed its input.
      rest = []
      Self.close(&input)
    }
  }

  mutating func read(
    into reader: inout CommandReader,
    _ remarks: ([UInt8]) -> Void
  ) {
    if ready[3] != 0, case let bytes = Self.read(&errors), !bytes.isEmpty {
      reader.add(remarks: bytes[...])
      remarks(bytes)
    }
    guard ready[2] != 0, mayReadOutput || !Pipe.hasBytes(output) else { return }
    reader.add(Self.read(&output)[...])
    if output < 0 { reader.end() }
  }

  mutating func closeOutput() {
    Self.close(&output)
  }

  mutating func closeAll() {
    Self.close(&input)
    Self.close(&output)
    Self.close(&errors)
  }

  /// Reads what is available; closes the pipe at its end.
  private static func read(_ descriptor: inout Int32) -> [UInt8] {
    if let bytes = Pipe.bytes(from: descriptor) { return bytes }
    close(&descriptor)
    return []
  }

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// Wakes another thread that waits.
final class WakeUp: Sendable {
  let descriptor: Int32
  private let end: Int32

  init() {
    let pipe = Pipe()
    (descriptor, end) = (pipe.read, pipe.write)
    for end in [descriptor, end] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(descriptor)
    close(end)
  }

  func signal() {
    var byte: UInt8 = 1
    _ = unsafe write(end, &byte, 1)
  }

  func wait() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, -1)
    clear()
  }

  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
