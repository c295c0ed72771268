import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

@testable import FlowServer

@Suite("Unknown tokens")
struct LockoutTests {
  private static let second: Int64 = 1_000_000_000

  private func network(_ address: String) throws -> SocketAddress.Network {
    try #require(try SocketAddress(parsing: address).network)
  }

  @Test("lock their network out for longer and longer, and are forgotten")
  func growth() throws {
    var lockouts = Lockouts()
    let network = try network("192.0.2.1:1")
    var now: Int64 = 0
    var lengths: [Int64] = []
    for _ in 0..<18 {
      let length = lockouts.fail(network, at: now) ?? 0
      #expect((lockouts.remaining(for: network, at: now) ?? 0) == length)
      lengths.append(length / Self.second)
      now += length
      #expect(lockouts.remaining(for: network, at: now) == nil)
    }
    #expect(
      lengths == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]
    )
    #expect(lockouts.fail(network, at: now + 899 * Self.second) != nil)
    now += (899 + 900) * Self.second
    #expect(lockouts.fail(network, at: now + 900 * Self.second) == nil)
  }

  @Test("count for an address of IPv4, and for 64 bits of IPv6")
  func networks() throws {
    #expect(try network("192.0.2.1:1") == network("192.0.2.1:2"))
    #expect(try network("192.0.2.1:1") != network("192.0.2.2:1"))
    #expect(try network("[2001:db8::1]:1") == network("[2001:db8::ffff:2]:1"))
    #expect(try network("[2001:db8::1]:1") != network("[2001:db8:0:1::1]:1"))
    #expect(try SocketAddress(parsing: "unix:/tmp/x").network == nil)
    #expect(try SocketAddress(parsing: "[2001:db8::1]:5").host == "2001:db8::1")
  }

  @Test("of very many networks take a bounded memory, and those locked out for longest stay")
  func bound() throws {
    var lockouts = Lockouts()
    let first = try network("192.0.2.1:1")
    for _ in 0..<12 { _ = lockouts.fail(first, at: 0) }
    for high in 0..<40 {
      for low in 0..<256 { _ = lockouts.fail(try network("10.0.\(high).\(low):1"), at: 1) }
    }
    #expect(lockouts.count == Lockouts.limit)
    #expect(lockouts.remaining(for: first, at: 1) != nil)
  }

  @Test("end connections unheard while they lock out, and each that was heard is in the log")
  func conversation() throws {
    let lines = Mutex<[String]>([])
    var configuration = Configuration()
    configuration.tokens = [Token("root")]
    let server = try TestServer(configuration) { event in
      lines.withLock { $0.append("\(event)") }
    }
    let early = try server.connect()
    #expect(try early.ask("AUTH root") == "OK auth")
    for _ in 0..<5 {
      #expect(try server.connect().ask("AUTH hush") == "ERR denied unknown token")
    }
    let client = try server.connect()
    try client.say("AUTH root")
    #expect(
      try client.rest() == ["BYE auth too many unknown tokens from 127.0.0.1; try again in 1 s"]
    )
    #expect(try early.ask("PING") == "PONG")
    server.advance(seconds: 1)
    #expect(try server.connect().ask("AUTH root") == "OK auth")
    #expect(try server.connect().ask("AUTH hush") == "ERR denied unknown token")
    #expect(try server.connect().ask("AUTH root").hasSuffix(" in 2 s"))
    let log = lines.withLock { $0 }
    #expect(log.count == 6 && !log.joined().contains("hush"))
    #expect(log.first == "failed AUTH from 127.0.0.1 client=2")
    #expect(log[4] == "failed AUTH from 127.0.0.1 client=6 lockout=1s")
    #expect(log[5] == "failed AUTH from 127.0.0.1 client=9 lockout=2s")
  }

  @Test("lock nobody out where nobody is asked for one")
  func open() throws {
    let server = try TestServer()
    let client = try server.connect()
    for _ in 0..<20 { #expect(try client.ask("AUTH hush") == "OK auth") }
  }
}
