import FlowTestSupport
import Glibc
import Testing

@testable import FlowTransport

/// Uses whole lines only and counts them; can pause at a line.
private final class Lines: Script, @unchecked Sendable {
  var pauseAt = Int.max
  let lines = Guarded<[String]>([])
  private(set) var connection: Connection?

  override func opened(_ connection: Connection) {
    self.connection = connection
  }

  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    var used = 0
    while let end = lineFeed(bytes, from: used) {
      if lines.withLock({ $0.count }) == pauseAt {
        connection.pauseReading()
        journal.note("paused")
        break
      }
      let line = String(decoding: bytes[used..<end], as: UTF8.self)
      lines.withLock { $0.append(line) }
      used = end + 1
    }
    return used
  }

  private func lineFeed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    return memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - base }
  }

  override func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    super.connectionClosed(connection, error)
    self.connection = nil
  }

  func goOn(until next: Int) {
    pauseAt = next
    connection?.resumeReading()
  }

  var all: [String] { lines.withLock { $0 } }
}

@Suite("Input")
struct InputTests {
  private func host(
    pauseAt: Int = .max
  ) throws -> (Host, Lines) {
    let lines = Lines()
    lines.pauseAt = pauseAt
    return (try Host { lines }, lines)
  }

  @Test("keeps half a line until the rest comes")
  func halves() throws {
    let (host, lines) = try host()
    let peer = try Peer(host.address)
    for byte in "one\ntwo\n".utf8 { peer.send([byte]) }
    peer.send("half")
    peer.close()
    #expect(host.journal.has("closed"))
    #expect(lines.all == ["one", "two"])
  }

  @Test("takes a line larger than any buffer")
  func largeLine() throws {
    let (host, lines) = try host()
    let peer = try Peer(host.address)
    let large = String(repeating: "0123456789abcdef", count: 1 << 18)
    peer.send("before\n\(large)\nafter\n")
    peer.close()
    #expect(host.journal.has("closed"))
    #expect(lines.all.count == 3)
    let isWhole = lines.all.dropFirst().first == large
    #expect(isWhole)
    #expect(lines.all.last == "after")
  }

  @Test("loses nothing of 400 KB before a hang-up")
  func hangUp() throws {
    let (host, lines) = try host()
    for round in 1...20 {
      let peer = try Peer(host.address)
      peer.send((0..<4000).map { String(repeating: "x", count: 95) + "\($0 % 10)\n" }.joined())
      peer.close()
      #expect(host.journal.has("closed", round))
      #expect(lines.all.count == 4000 * round)
    }
  }

  @Test(
    "a paused connection keeps its bytes past a hang-up"
  )
  func pausedHangUp() throws {
    let (host, lines) = try host(pauseAt: 3)
    let peer = try Peer(host.address)
    let text = (0..<20_000).map { "line \($0)\n" }.joined()
    peer.send(text)
    #expect(host.journal.has("paused"))
    peer.close()
    #expect(lines.all == ["line 0", "line 1", "line 2"])
    // A line at a time, as a publisher who waits for each grant, then the rest.
    for next in 4...50 {
      #expect(host.turn { lines.goOn(until: next) })
      #expect(lines.all.count == next)
    }
    #expect(host.journal.entries.allSatisfy { $0 == "paused" })
    #expect(host.turn { lines.goOn(until: .max) })
    #expect(host.journal.has("closed"))
    #expect(lines.all.count == 20_000)
    #expect(lines.all.last == "line 19999")
  }

  @Test("a paused connection stops its peer")
  func backpressure() throws {
    let (host, lines) = try host(pauseAt: 0)
    let peer = try Peer(host.address)
    peer.send("first\n")
    #expect(host.journal.has("paused"))
    let line = Array((String(repeating: "y", count: 1023) + "\n").utf8)
    // What both kernels' buffers hold; without the pause this would not end.
    let taken = peer.sendUntilBlocked(line, atMost: 64 << 20)
    #expect(taken < 64 << 20)
    #expect(host.turn {})
    #expect(lines.all.isEmpty)
    #expect(host.turn { lines.goOn(until: .max) })
    peer.send([UInt8](repeating: 0x79, count: line.count - taken % line.count - 1) + [0x0A])
    peer.endOutput()
    #expect(host.journal.has("closed"))
    #expect(lines.all.count == 1 + taken / line.count + 1)
  }
}
