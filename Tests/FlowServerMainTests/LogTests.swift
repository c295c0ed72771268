import Dispatch
import FlowServer
import FlowTestSupport
import FlowTransport
import Glibc
import Testing

@testable import FlowServerMain

/// Has its log in a pipe.
private final class PipePlatform: SystemPlatform, @unchecked Sendable {  // a `let` only
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    super.init()
  }

  override func log(_ bytes: ArraySlice<UInt8>) -> Bool {
    Self.write(bytes, to: descriptor)
  }
}

@Suite("The server's log")
struct LogTests {
  /// A queue whose calls may stand in expectations.
  private final class Queue {
    private var queue = LogQueue()
    func add(_ line: String) -> Bool { queue.add(line) }
    func take() -> [UInt8]? { queue.take() }
    func writingFailed() { queue.writingFailed() }
  }

  private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("lines are taken together, and the writer is called once")
  func lines() {
    let queue = Queue()
    #expect(queue.add("a"))
    #expect(!queue.add("b"))
    #expect(text(queue.take()) == "a\nb\n")
    #expect(!queue.add("c"))
    #expect(text(queue.take()) == "c\n")
    #expect(queue.take() == nil)
    #expect(queue.add("d"))
  }

  @Test("beyond its bounds it counts, and says so in the place of what it left out")
  func full() {
    let queue = Queue()
    for number in 0..<LogQueue.lineLimit + 3 { _ = queue.add("\(number)") }
    let taken = text(queue.take())?.split(separator: "\n") ?? []
    #expect(taken.count == LogQueue.lineLimit + 1)
    #expect(taken.last == "… 3 lines left out")
    _ = queue.add("on")
    #expect(text(queue.take()) == "on\n")
    let long = String(repeating: "x", count: 10_000)
    for _ in 0..<100 { _ = queue.add(long) }
    let some = queue.take() ?? []
    #expect(some.count < LogQueue.byteLimit + 100)
    #expect(text(some)?.hasSuffix(" lines left out\n") == true)
  }

  @Test("of an endless line the beginning is written")
  func long() {
    let queue = Queue()
    _ = queue.add(String(repeating: "x", count: 1 << 20))
    #expect(queue.take()?.count == LogQueue.longestLine + "…\n".utf8.count)
  }

  @Test("what could not be written is told as left out, as soon as there is more")
  func failure() {
    let queue = Queue()
    _ = queue.add("a")
    _ = queue.add("b")
    _ = queue.take()
    queue.writingFailed()
    #expect(queue.take() == nil)
    #expect(queue.add("c"))
    #expect(text(queue.take()) == "… 2 lines left out\nc\n")
  }

  @Test("nobody waits for a pipe that is not read; once it is, it tells what is missing")
  func pipe() throws {
    var ends: [Int32] = [-1, -1]
    Glibc.pipe(&ends)
    let log = ServerLog(level: .info, platform: PipePlatform(ends[1]))
    let line = String(repeating: "x", count: 1000)
    for _ in 0..<5000 { log.log(.info, "line", line) }
    log.log(.debug, "line", "not wanted")
    log.flush(withinNanoseconds: 1_000_000)
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    try Patience.wait(for: "word of 5,000 lines") {
      let count = read(ends[0], &buffer, buffer.count)
      guard count > 0 else { return false }
      all += buffer[..<count]
      return linesTold(all) >= 5000
    }
    #expect(all.count < 1 << 20)
    #expect(!String(decoding: all, as: UTF8.self).contains("not wanted"))
    log.flush(withinNanoseconds: UInt64(Patience.seconds) * 1_000_000_000)
    for end in ends { close(end) }
  }

  /// How many lines a log tells of: those that are there, and those that it says were left out.
  private func linesTold(_ log: [UInt8]) -> Int {
    String(decoding: log, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
      let isMissing = line.contains(" level=warning event=left-out count=")
      return sum + (isMissing ? Int(line.split(separator: " ")[3].dropFirst(6)) ?? 0 : 1)
    }
  }
}
