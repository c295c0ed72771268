import Dispatch
import FlowTestSupport
import Testing

@testable import FlowTransport

/// Sends so many bytes as soon as it is connected.
private final class Flood: Script, @unchecked Sendable {
  let bytes: [UInt8]
  let unsent = Guarded<[Int]>([])
  private var connection: Connection?

  /// Repeats a block of a prime length, so that no piece of the output looks like another.
  init(_ count: Int) {
    let block = (0..<8191).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    self.bytes = bytes
  }

  override func opened(_ connection: Connection) {
    self.connection = connection
    bytes.withUnsafeBytes { all in
      var start = 0
      while start < all.count {
        let end = min(start + 1000, all.count)
        connection.append(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        start = end
      }
    }
  }

  override func drained(_ connection: Connection) {
    let count = connection.unsent
    unsent.withLock { $0.append(count) }
    if count == 0 { connection.closeAfterFlush() }
  }

  override func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    super.connectionClosed(connection, error)
    self.connection = nil
  }
}

@Suite("Output")
struct OutputTests {
  @Test(
    "waits for a slow reader and says when it drains"
  )
  func slowReader() throws {
    let flood = Flood(24 << 20)
    let host = try Host { flood }
    let peer = try Peer(host.address)
    #expect(host.turn {})
    #expect(host.journal.entries.isEmpty)
    let isWhole = peer.readToEnd() == flood.bytes
    #expect(isWhole)
    #expect(host.journal.has("closed"))
    let unsent = flood.unsent.withLock { $0 }
    #expect(unsent.last == 0)
    #expect(unsent.allSatisfy { $0 <= 128 << 10 })
    #expect(unsent.count <= 2)
  }

  @Test(
    "what is appended in one turn leaves in order"
  )
  func order() throws {
    final class Writer: Script, @unchecked Sendable {
      override func opened(_ connection: Connection) {
        for number in 0..<20_000 {
          let (prefix, body) = (Array("= \(number % 7) ".utf8), Array("value \(number)".utf8))
          prefix.withUnsafeBytes { prefix in
            body.withUnsafeBytes { connection.append(prefix, $0, newline: true) }
          }
        }
        connection.append("")
        connection.append("end\n")
        connection.closeAfterFlush()
        connection.append("too late\n")
      }
    }
    let host = try Host { Writer() }
    let peer = try Peer(host.address)
    let expected = (0..<20_000).map { "= \($0 % 7) value \($0)\n" }.joined() + "end\n"
    let isInOrder = peer.readToEnd() == Array(expected.utf8)
    #expect(isInOrder)
    peer.close()
    #expect(host.journal.has("closed"))
  }

  @Test(
    "who is turned away as he comes hears why, though he speaks at once"
  )
  func turnedAway() throws {
    let loop = EventLoop(label: "test", platform: SystemPlatform.shared)
    let listener = try loop.listen(on: try SocketAddress(parsing: Loopback.address())) {
      $0.append("no\n")
      $0.closeAfterFlush()
    }
    // All that is said here waits in the kernel when the connection is taken.
    let peer = try loop.queue.sync {
      let peer = try Peer(listener.address)
      peer.send("let me in\n")
      return peer
    }
    #expect((1...3).allSatisfy { _ in peer.send("please\n") })
    #expect(peer.readToEnd() == Array("no\n".utf8))
    peer.close()
    listener.close()
  }

  @Test(
    "the last words reach a peer that is still sending"
  )
  func lastWords() throws {
    final class Refuser: Script, @unchecked Sendable {
      override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
        connection.append(String(repeating: "no ", count: 1 << 20) + "\n")
        connection.closeAfterFlush()
        return bytes.count
      }
    }
    let host = try Host { Refuser() }
    let peer = try Peer(host.address)
    peer.send("hello\n")
    // Nobody reads this, and closing over it would take the answer with it.
    let sent = peer.send([UInt8](repeating: 0x78, count: 4 << 20))
    #expect(sent)
    #expect(peer.readToEnd()?.count == 3 << 20 | 1)
    #expect(host.journal.has("closed"))
  }

  @Test(
    "a reset in the middle is told once, with its error"
  )
  func reset() throws {
    let host = try Host { Flood(8 << 20) }
    let peer = try Peer(host.address)
    _ = peer.read(1000)
    peer.reset()
    #expect(host.journal.has("closed: connection reset by peer"))
    #expect(host.turn {})
    #expect(host.journal.entries == ["closed: connection reset by peer"])
  }
}
