import Glibc
import Testing

@testable import FlowTransport

/// Notes what keeps its socket alive.
private final class Noting: Script, @unchecked Sendable {
  override func opened(_ connection: Connection) {
    journal.note(KeepAliveTests.options(of: connection.descriptor).description)
  }
}

/// Resets its connection at the first input.
private final class Resetting: Script, @unchecked Sendable {
  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    connection.append("never read")
    connection.closeAfterFlush()
    connection.reset()
    return bytes.count
  }
}

@Suite("Peers that are gone")
struct KeepAliveTests {
  fileprivate static func options(of descriptor: Int32) -> [Int32] {
    let tcp = Int32(IPPROTO_TCP)
    let options = [
      (SOL_SOCKET, SO_KEEPALIVE), (tcp, TCP_KEEPIDLE), (tcp, TCP_KEEPINTVL), (tcp, TCP_KEEPCNT),
      (tcp, TCP_USER_TIMEOUT),
    ]
    return options.map { level, option in
      var value: Int32 = -1
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, level, option, &value, &size)
      return value
    }
  }

  @Test(
    "connections of both sides ask for signs of life"
  )
  func options() throws {
    let host = try Host { Noting() }
    let peer = try Peer(host.address)
    #expect(host.journal.has("[1, 60, 15, 4, 0]"))
    #expect(Self.options(of: peer.descriptor) == [1, 60, 15, 4, 0])
  }

  @Test(
    "who has answered nothing for so long, though asked again and again, is gone",
    arguments: [
      (119_999, 9, 0, false), (120_000, 3, 0, true), (120_000, 2, 0, false),
      (500_000, 0, 1, false), (500_000, 0, 2, true), (3_000_000, 0, 0, false),
    ]
  )
  func unanswered(_ silence: UInt32, _ retransmits: UInt8, _ probes: UInt8, _ isGone: Bool) {
    var information = tcp_info()
    information.tcpi_last_ack_recv = silence
    information.tcpi_retransmits = retransmits
    information.tcpi_probes = probes
    #expect(KeepAlive.isUnanswered(information, forSeconds: 120) == isGone)
  }

  @Test("a reset ends a connection at once")
  func reset() throws {
    let host = try Host { Resetting() }
    let peer = try Peer(host.address)
    peer.send("x")
    #expect(host.journal.has("closed"))
    #expect(peer.readToEnd() == nil)
  }
}
