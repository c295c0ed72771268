import FlowTransport
import Glibc

/// A process that runs tests, and its messages.
struct TestProcess {
  enum Ending: Equatable {
    case done
    /// It crashed; the text is its last output.
    case crashed(String)
    /// It was killed because a test took too long.
    case tooLong
  }

  /// The longest time of a test, in nanoseconds.
  private let limit: UInt64
  private let words: [String]
  private let platform: any Platform

  init(_ words: [String], limit: Duration, _ platform: any Platform) {
    self.words = words
    self.limit = UInt64(clamping: limit.inNanoseconds)
    self.platform = platform
  }

  /// Runs the process, and passes its records to `take`.
  func run(_ take: (TestRecord) -> Void) throws(ClientError) -> Ending {
    let child = try ChildProcess(words.map { Array($0.utf8) })
    defer { for pipe in [child.input, child.output, child.errors] { close(pipe) } }
    var remarks: [UInt8] = []
    var output: [UInt8] = []
    var deadline = platform.monotonicNanoseconds &+ limit
    var isOpen = true
    while isOpen {
      let now = platform.monotonicNanoseconds
      guard now < deadline else {
        child.signal(SIGKILL)
        _ = child.wait()
        return .tooLong
      }
      var entries = [
        pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
      ]
      _ = unsafe poll(&entries, 2, Int32(clamping: (deadline - now) / 1_000_000 + 1))
      if entries[1].revents != 0 { remarks += Pipe.bytes(from: child.errors) ?? [] }
      if entries[0].revents != 0 {
        let bytes = Pipe.bytes(from: child.output)
        isOpen = bytes != nil
        output += bytes ?? []
      }
      while let record = TestRecord.next(in: &output) {
        take(record)
        deadline = platform.monotonicNanoseconds &+ limit
      }
    }
    let ending = child.wait()
    while Pipe.hasBytes(child.errors), let bytes = Pipe.bytes(from: child.errors) {
      remarks += bytes
    }
    return ending == .exit(0) ? .done : .crashed(Self.reason(ending, remarks))
  }

  /// Returns the reason of a crash: the runtime's message, or else how the process ended.
  private static func reason(_ ending: ChildProcess.Ending, _ remarks: [UInt8]) -> String {
    let lines = String(decoding: remarks.prefix(64 * 1024), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    for var line in lines {
      while !line.isEmpty, !line.hasPrefix("Fatal error") { line.removeFirst() }
      if !line.isEmpty { return String(line) }
    }
    switch ending {
    case .signal(let number): return "it was ended by \(unsafe String(cString: strsignal(number)))"
    case .exit(let code): return lines.last.map(String.init) ?? "it ended with exit code \(code)"
    }
  }
}
