import Testing

@testable import FlowTransport

@Suite("SocketAddress")
struct SocketAddressTests {
  @Test(
    "reads an address and writes it again",
    arguments: [
      ("127.0.0.1:3569", "127.0.0.1:3569"),
      ("0.0.0.0:0", "0.0.0.0:0"),
      ("[::1]:0", "[::1]:0"),
      ("[0:0:0:0:0:0:0:1]:65535", "[::1]:65535"),
      (":3569", "127.0.0.1:3569"),
      ("localhost:3569", "localhost:3569"),
      ("my-host.example:80", "my-host.example:80"),
      ("unix:/tmp/flow", "unix:/tmp/flow"),
      ("unix:a:b", "unix:a:b"),
    ]
  )
  func reading(_ text: String, _ written: String) throws {
    let address = try SocketAddress(parsing: text)
    #expect(address.description == written)
    #expect(try SocketAddress(parsing: written) == address)
  }

  @Test(
    "refuses what is no address and says why",
    arguments: [
      ("", "the port is missing, expected HOST:PORT or unix:PATH"),
      ("127.0.0.1", "the port is missing, expected HOST:PORT or unix:PATH"),
      ("127.0.0.1:", "the port is \"\", expected 0 to 65535"),
      ("127.0.0.1:65536", "the port is \"65536\", expected 0 to 65535"),
      ("127.0.0.1:+1", "the port is \"+1\", expected 0 to 65535"),
      ("127.0.0.1:x", "the port is \"x\", expected 0 to 65535"),
      ("::1:80", "an IPv6 address needs brackets, as in [::1]:3569"),
      ("[::g]:80", "the host is \"[::g]\", expected an IPv6 address in brackets"),
      ("[127.0.0.1]:80", "the host is \"[127.0.0.1]\", expected an IPv6 address in brackets"),
      ("1.2.3:80", "the host is \"1.2.3\", expected an address or a name"),
      ("1.2.3.256:80", "the host is \"1.2.3.256\", expected an address or a name"),
      ("a b:80", "the host is \"a b\", expected an address or a name"),
      ("unix:", "the path is missing, expected unix:PATH"),
      (
        "unix:" + String(repeating: "x", count: 108),
        "the path has 108 bytes; the limit is 107"
      ),
    ]
  )
  func refusing(_ text: String, _ message: String) {
    let error = TransportError(call: "address \"\(text)\"", message: message)
    #expect(throws: error) { try SocketAddress(parsing: text) }
  }

  @Test(
    "knows what only this machine can reach",
    arguments: [
      ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("localhost:1", true),
      (":1", true), ("unix:x", true), ("0.0.0.0:1", false), ("[::]:1", false),
      ("192.168.1.1:1", false), ("example.com:1", false),
    ]
  )
  func loopback(_ text: String, _ isLoopback: Bool) throws {
    #expect(try SocketAddress(parsing: text).isLoopback == isLoopback)
  }

  @Test(
    "of IPv4 that a socket for both families sees is known as such",
    arguments: [
      ("::ffff:192.0.2.7", "192.0.2.7:80"), ("::ffff:127.0.0.1", "127.0.0.1:80"),
      ("::fffe:192.0.2.7", "[::fffe:c000:207]:80"), ("::1", "[::1]:80"),
      ("64:ff9b::192.0.2.7", "[64:ff9b::c000:207]:80"),
      ("1::ffff:192.0.2.7", "[1::ffff:c000:207]:80"),
    ]
  )
  func mapped(_ host: String, _ text: String) throws {
    let address = SocketAddress(.ip(try #require(IP6(host)), port: 80))
    #expect(address.description == text)
    let parsed = try SocketAddress(parsing: text)
    #expect(address == parsed && address.network == parsed.network)
  }
}
