import FlowTestSupport
import Glibc
import Synchronization
import Testing

@testable import FlowTransport

/// Says nothing and stays when the peer ends its side.
private final class Listening: Script, @unchecked Sendable {
  override func ended(_ connection: Connection) {}
}

@Suite("Connections come and go", .serialized)
struct LifeTests {
  @Test(
    "a reset is noticed though both sides are silent"
  )
  func halfClosedReset() throws {
    let host = try Host { Listening() }
    let peer = try Peer(host.address)
    peer.endOutput()
    #expect(host.journal.has("ended"))
    peer.reset()
    #expect(host.journal.has("closed: connection reset by peer"))
  }

  @Test("connections leave no descriptor behind")
  func descriptors() async throws {
    // In a process of its own, where nobody else opens any.
    await #expect(processExitsWith: .success) { try LifeTests.comeAndGo() }
  }

  @Test("running out of descriptors passes")
  func exhaustion() async throws {
    await #expect(processExitsWith: .success) { try LifeTests.runOut() }
  }

  @Test("whoever finds no descriptors left is told")
  func farewell() async throws {
    await #expect(processExitsWith: .success) { try LifeTests.turnAway() }
  }

  private static func turnAway() throws {
    let count = Atomic(0)
    let host = try Host(
      farewell: Array("no room\n".utf8),
      turnedAway: { count.add(1, ordering: .relaxed) },
      handler: { Echo() }
    )
    let first = try Peer(host.address)
    first.send("x")
    guard first.read(1) == [0x78] else { fatalError("no echo") }
    let peers = (0..<3).map { _ in Socket.make(AF_INET, blocking: true) }
    guard let highest = peers.max() else { fatalError("no sockets") }
    while Glibc.open("/dev/null", O_RDONLY) < highest {}
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(highest + 1)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    while dup(first.descriptor) >= 0 {}
    for peer in peers {
      Peer.limitWaits(of: peer)
      guard host.address.withKernelForm({ connect(peer, $0, $1) }) == 0 else {
        fatalError("nobody listens any more")
      }
      var said: [UInt8] = Array(repeating: 0, count: 64)
      let length = recv(peer, &said, 64, 0)
      guard length == 8, String(decoding: said[..<8], as: UTF8.self) == "no room\n" else {
        fatalError("\(length) bytes: \(said)")
      }
      guard recv(peer, &said, 64, 0) == 0 else { fatalError("not at its end") }
    }
    guard host.turn({}), count.load(ordering: .relaxed) == 3 else { fatalError("not counted") }
    exit(0)
  }

  private static func comeAndGo() throws {
    let host = try Host { Echo() }
    // The first ones make Dispatch open what it needs.
    var before = 0
    for round in 1...510 {
      let peer = try Peer(host.address)
      peer.send("hello\n")
      guard peer.readText(6) == "hello\n" else { fatalError("no echo") }
      if round % 3 == 0 { peer.endOutput() }
      if round % 5 == 0 { peer.reset() } else { peer.close() }
      if round == 10 {
        try Self.waitUntilClosed(host, 10)
        before = openDescriptors()
      }
    }
    try Self.waitUntilClosed(host, 510)
    let after = openDescriptors()
    // The runtime opens and closes some of its own meanwhile; each way to end came over 30 times.
    guard abs(after - before) < 30 else {
      fatalError("\(before) descriptors before, \(after) after")
    }
    exit(0)
  }

  private static func waitUntilClosed(_ host: Host, _ count: Int) throws {
    try Patience.wait(for: "the close of \(count) connections") {
      host.turn {} && host.journal.entries.count { $0.hasPrefix("closed") } == count
    }
    guard host.turn({}), host.turn({}) else { fatalError("the loop stands still") }
  }

  private static func runOut() throws {
    let host = try Host { Echo() }
    let first = try Peer(host.address)
    first.send("x")
    guard first.read(1) == [0x78] else { fatalError("no echo") }
    // The peers have theirs already; the host can have twelve more.
    let peers = (0..<60).map { _ in Socket.make(AF_INET, blocking: true) }
    guard let highest = peers.max(), highest > 0 else { fatalError("no sockets") }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(highest + 1 + 12)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var served = 0
    for peer in peers {
      guard host.address.withKernelForm({ connect(peer, $0, $1) }) == 0 else {
        fatalError("nobody listens any more")
      }
      if asks(peer) { served += 1 }
    }
    guard (5...12).contains(served) else { fatalError("\(served) of 60 are served") }
    first.send("z")
    guard first.read(1) == [0x7A] else { fatalError("the first connection is dead") }
    for peer in peers { Glibc.close(peer) }
    try Self.waitUntilClosed(host, served)
    let last = try Peer(host.address)
    last.send("w")
    guard last.read(1) == [0x77] else { fatalError("no connection is taken any more") }
    exit(0)
  }

  /// Whether a byte comes back; otherwise the connection was turned away.
  private static func asks(_ peer: Int32) -> Bool {
    Peer.limitWaits(of: peer)
    var byte: UInt8 = 0x79
    send(peer, &byte, 1, Int32(MSG_NOSIGNAL))
    let count = recv(peer, &byte, 1, 0)
    if count < 0, errno == EAGAIN { fatalError("left waiting") }
    return count == 1
  }

  private static func openDescriptors() -> Int {
    (0..<Int32(4096)).count { fcntl($0, F_GETFD) >= 0 }
  }
}
