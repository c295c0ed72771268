import FlowTestSupport
import Testing

@testable import FlowTransport

@Suite("PROXY headers")
struct ProxyHeaderTests {
  private func read(_ text: String) -> ProxyHeader.Reading { ProxyHeader.read(Array(text.utf8)) }

  private func reason(_ bytes: [UInt8]) -> String {
    if case .broken(let reason) = ProxyHeader.read(bytes) { return reason }
    return "\(ProxyHeader.read(bytes))"
  }

  /// A header of version 2.
  private static func version2(
    command: UInt8 = 0x21,
    family: UInt8 = 0x11,
    _ rest: [UInt8]
  ) -> [UInt8] {
    ProxyHeader2.signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)]
      + rest
  }

  private static func field(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
    [type, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
  }

  private static let ip4: [UInt8] = [192, 0, 2, 7, 203, 0, 113, 1, 0xCF, 0xDB, 0x0D, 0xF2]
  private static let ip6: [UInt8] =
    [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
    + [UInt8](repeating: 0, count: 15) + [1, 0xCF, 0xDB, 0x0D, 0xF2]

  private static let mapped: [UInt8] =
    [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 7]
    + [UInt8](repeating: 0, count: 15) + [1, 0xCF, 0xDB, 0x0D, 0xF2]

  /// The field about TLS, with what the proxy found.
  private static func certificate(
    _ client: UInt8 = 7,
    _ verified: [UInt8] = [0, 0, 0, 0],
    _ names: String...
  ) -> [UInt8] {
    field(
      0x20,
      [client] + verified + field(0x21, Array("TLSv1.3".utf8))
        + names.flatMap { field(0x22, Array($0.utf8)) }
    )
  }

  private static let good: [(bytes: [UInt8], header: String, name: String?)] = [
    (
      Array("PROXY TCP4 192.0.2.7 203.0.113.1 53211 3570\r\n".utf8), "192.0.2.7:53211", nil
    ),
    (Array("PROXY TCP6 2001:db8::7 ::1 53211 0\r\n".utf8), "[2001:db8::7]:53211", nil),
    // What a proxy with one socket for both families says of a client of IPv4.
    (Array("PROXY TCP6 ::ffff:192.0.2.7 ::1 53211 0\r\n".utf8), "192.0.2.7:53211", nil),
    (Array("PROXY UNKNOWN\r\n".utf8), "", nil),
    (Array("PROXY UNKNOWN anything at all \u{0}\r\n".utf8), "", nil),
    (version2(ip4), "192.0.2.7:53211", nil),
    (version2(family: 0x21, ip6), "[2001:db8::7]:53211", nil),
    (version2(family: 0x21, mapped), "192.0.2.7:53211", nil),
    (version2(family: 0x31, [UInt8](repeating: 65, count: 216)), "", nil),
    (version2(command: 0x20, family: 0, []), "", nil),
    (version2(command: 0x20, ip4), "", nil),
    (version2(family: 0, [1, 2, 3]), "", nil),
    (version2(ip4 + field(4, [UInt8](repeating: 0, count: 300))), "192.0.2.7:53211", nil),
    (version2(ip4 + certificate(7, [0, 0, 0, 0], "alice")), "192.0.2.7:53211", "alice"),
    (version2(ip4 + certificate(5, [0, 0, 0, 0], "büro")), "192.0.2.7:53211", "büro"),
    // No TLS, no certificate, one that is not verified, no name, two of them.
    (version2(ip4 + certificate(6, [0, 0, 0, 0], "alice")), "192.0.2.7:53211", nil),
    (version2(ip4 + certificate(1, [0, 0, 0, 0], "alice")), "192.0.2.7:53211", nil),
    (version2(ip4 + certificate(7, [0, 0, 0, 1], "alice")), "192.0.2.7:53211", nil),
    (version2(ip4 + certificate()), "192.0.2.7:53211", nil),
    (version2(ip4 + certificate(7, [0, 0, 0, 0], "alice", "bob")), "192.0.2.7:53211", nil),
  ]

  @Test("of both versions say who has connected, wherever the input is cut")
  func good() {
    for (bytes, source, name) in Self.good {
      let header = ProxyHeader(
        source: source.isEmpty ? nil : try? SocketAddress(parsing: source),
        certificateName: name
      )
      let input = bytes + Array("SUB orders\n".utf8)
      for count in 0...input.count {
        let reading = ProxyHeader.read(Array(input[..<count]))
        if count < bytes.count {
          #expect(reading == .incomplete, "\(source) \(count)")
        } else {
          #expect(reading == .header(header, length: bytes.count), "\(source) \(count)")
        }
      }
    }
  }

  @Test(
    "of version 1 that are wrong say what is",
    arguments: [
      ("SUB orders\n", "the connection does not begin with one"),
      ("PROXY TCP4 192.0.2.7 203.0.113.1 53211 3570\n", "the line does not end with CR LF"),
      ("PROXY \n", "the line does not end with CR LF"),
      ("PROXY UDP4 1.1.1.1 1.1.1.1 1 1\r\n", "the protocol is \"UDP4\", expected TCP4, TCP6 or"),
      ("PROXY \r\n", "the protocol is \"\", expected"),
      ("PROXY TCP4 1.1.1.1 1.1.1.1 1\r\n", "3 words follow TCP4, expected 2 addresses and 2"),
      ("PROXY TCP4  1.1.1.1 1.1.1.1 1 1\r\n", "5 words follow TCP4"),
      ("PROXY TCP4 1.1.1.1 1.1.1.1 65536 1\r\n", "the port is \"65536\", expected 0 to 65535"),
      ("PROXY TCP4 1.1.1.1 1.1.1.1 1 +1\r\n", "the port is \"+1\""),
      ("PROXY TCP4 1.1.1.1 1.1.1.1 01 1\r\n", "the port is \"01\""),
      ("PROXY TCP4 ::1 1.1.1.1 1 1\r\n", "the address is \"::1\", expected one of TCP4"),
      ("PROXY TCP6 1.1.1.1 ::1 1 1\r\n", "the address is \"1.1.1.1\", expected one of TCP6"),
      ("PROXY TCP4 localhost 1.1.1.1 1 1\r\n", "the address is \"localhost\""),
      ("PROXY TCP4 1.1.1.1\u{0} 1.1.1.1 1 1\r\n", "expected one of TCP4"),
    ]
  )
  func wrong(_ text: String, _ message: String) {
    #expect(reason(Array(text.utf8)).contains(message))
  }

  @Test("of version 1 have 107 bytes at most")
  func longest() {
    let start = "PROXY UNKNOWN "
    let most = start + String(repeating: "x", count: 107 - start.utf8.count - 2) + "\r\n"
    #expect(read(most) == .header(ProxyHeader(), length: 107))
    #expect(read("\(most.dropLast(1))xx") == .broken("no line ends within 107 bytes"))
    #expect(read(start + String(repeating: "x", count: 92)) == .incomplete)
  }

  @Test("of version 2 that are wrong say what is")
  func wrong2() {
    #expect(reason(Self.version2(command: 0x11, Self.ip4)).contains("command are 17, expected 32"))
    #expect(reason(Self.version2(command: 0x22, Self.ip4)).contains("expected 32 or 33"))
    #expect(reason(Self.version2(family: 0x12, Self.ip4)).contains("are 18, expected a stream"))
    #expect(reason(Self.version2(family: 0x41, Self.ip4)).contains("expected a stream"))
    #expect(
      reason(Self.version2(Array(Self.ip4.dropLast())))
        == "11 bytes follow, expected addresses of 12 bytes"
    )
    #expect(reason(Self.version2(Self.ip4 + [4, 0])) == "a field is longer than the header")
    #expect(reason(Self.version2(Self.ip4 + [4, 0, 2, 9])) == "a field is longer than the header")
    let malformed = Self.field(0x20, [7, 0, 0, 0, 0, 0x22, 0, 9])
    #expect(reason(Self.version2(Self.ip4 + malformed)) == "the field about TLS is malformed")
    let short = Self.field(0x20, [7, 0, 0])
    #expect(reason(Self.version2(Self.ip4 + short)) == "the field about TLS is malformed")
    let nothing = Self.certificate(7, [0, 0, 0, 0], "")
    guard case .header(let header, _) = ProxyHeader.read(Self.version2(Self.ip4 + nothing)) else {
      Issue.record("a certificate without a name")
      return
    }
    #expect(header.certificateName == nil)
  }

  @Test("of 65,551 bytes are read, and no byte that is changed anywhere does harm")
  func bounds() {
    let rest = Self.ip4 + Self.field(4, [UInt8](repeating: 1, count: 65_535 - 12 - 3))
    let longest = Self.version2(rest)
    #expect(longest.count == ProxyHeader.longest)
    #expect(ProxyHeader.read(longest) != .incomplete)
    #expect(ProxyHeader.read(longest.dropLast()) == .incomplete)
    var dice = SeededGenerator(state: 20)
    for (bytes, _, _) in Self.good {
      for _ in 0..<500 {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
          bytes[Int.random(in: bytes.indices, using: &dice)] = .random(in: 0...255, using: &dice)
        }
        if case .header(_, let length) = ProxyHeader.read(bytes) { #expect(length <= bytes.count) }
      }
    }
  }
}
