import Dispatch
import FlowTestSupport
import Synchronization
import Testing

@testable import FlowTransport

@Suite("Sends on several threads")
struct SeveralThreadsTests {
  private final class Idler: Script, @unchecked Sendable {
    private(set) var connection: Connection?

    override func opened(_ connection: Connection) { self.connection = connection }

    override func connectionClosed(_ connection: Connection, _ error: TransportError?) {
      super.connectionClosed(connection, error)
      self.connection = nil
    }
  }

  /// Handlers in the order in which their peers connected.
  private final class Idlers: @unchecked Sendable {  // touched on the loop's queue only
    private(set) var all: [Idler] = []

    func make() -> Idler {
      all.append(Idler())
      return all[all.count - 1]
    }
  }

  /// Connects, and waits until the loop has taken the connection.
  private static func connect(to host: Host, _ idlers: Idlers) throws -> Peer {
    let accepted = Mutex((before: 0, now: 0))
    #expect(host.turn { accepted.withLock { $0.before = idlers.all.count } })
    let peer = try Peer(host.address)
    try Patience.wait(for: "the loop to take the connection") {
      host.turn { accepted.withLock { $0.now = idlers.all.count } }
        && accepted.withLock { $0.now != $0.before }
    }
    return peer
  }

  private static func bytes(of index: Int) -> [UInt8] {
    (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9 &+ index) }
  }

  @Test(
    "each connection gets its bytes, in order, whatever the kernel takes at once"
  )
  func order() throws {
    let idlers = Idlers()
    let host = try Host(prepare: { $0.threads = 4 }, handler: idlers.make)
    let peers = try (0..<8).map { _ in try Self.connect(to: host, idlers) }
    let loop = host.loop
    let done = host.turn {
      #expect(idlers.all.count == 8)
      let connections = idlers.all.compactMap(\.connection)
      for (index, connection) in connections.enumerated() {
        // One has nothing to send, and one but little.
        let size = [0, 1000][safe: index] ?? 1 << 20
        connection.append(Array(Self.bytes(of: index).prefix(size)))
      }
      let before = loop.bytesWritten
      loop.flushLarge(connections)
      #expect(loop.bytesWritten > before)
      #expect(loop.turnState.sendGroup.isCollecting)
      #expect(connections.count { $0.unsent == 0 } < 8)
      for connection in connections { connection.closeAfterFlush() }
    }
    #expect(done)
    for (index, peer) in peers.enumerated() {
      let size = [0, 1000][safe: index] ?? 1 << 20
      #expect(peer.readToEnd() == Array(Self.bytes(of: index).prefix(size)))
    }
  }

  @Test(
    "one connection that is gone takes no other with it"
  )
  func reset() throws {
    let idlers = Idlers()
    let host = try Host(prepare: { $0.threads = 2 }, handler: idlers.make)
    let gone = try Self.connect(to: host, idlers)
    let there = try Self.connect(to: host, idlers)
    let loop = host.loop
    loop.queue.sync {
      gone.reset()
      let connections = idlers.all.compactMap(\.connection)
      for connection in connections { connection.append(Self.bytes(of: 1)) }
      loop.flushLarge(connections)
      for connection in connections { connection.closeAfterFlush() }
    }
    #expect(there.readToEnd() == Self.bytes(of: 1))
    #expect(
      host.journal.has("closed: connection reset by peer")
        || host.journal.has("closed: broken pipe")
    )
  }

  @Test("what only one connection has is sent as with one thread")
  func alone() throws {
    let idlers = Idlers()
    let host = try Host(prepare: { $0.threads = 2 }, handler: idlers.make)
    let peer = try Self.connect(to: host, idlers)
    let loop = host.loop
    let done = host.turn {
      guard let connection = idlers.all.first?.connection else { return }
      Self.bytes(of: 3).withUnsafeBytes { connection.send($0) }
      loop.flushLarge([connection])
      #expect(!loop.turnState.sendGroup.isCollecting)
      connection.closeAfterFlush()
    }
    #expect(done)
    #expect(peer.readToEnd() == Self.bytes(of: 3))
    #expect(loop.queue.sync { loop.bytesWritten } == 1 << 20)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
