/// Version 1: `PROXY TCP4 192.0.2.7 203.0.113.1 53211 3570`, and CR LF.
enum ProxyHeader1 {
  static let start = Array("PROXY ".utf8)

  /// The longest line, CR LF included.
  private static let longest = 107

  static func read(_ bytes: [UInt8]) -> ProxyHeader.Reading {
    guard let end = bytes.prefix(longest).firstIndex(of: 10) else {
      guard bytes.count >= longest else { return .incomplete }
      return .broken("no line ends within \(longest) bytes")
    }
    guard end >= start.count, bytes[end - 1] == 13 else {
      return .broken("the line does not end with CR LF")
    }
    let line = String(decoding: bytes[start.count..<(end - 1)], as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    // The rest of the line has no meaning.
    if words.first == "UNKNOWN" { return .header(ProxyHeader(), length: end + 1) }
    guard let kind = words.first, ["TCP4", "TCP6"].contains(kind) else {
      return .broken("the protocol is \"\(words.first ?? "")\", expected TCP4, TCP6 or UNKNOWN")
    }
    guard words.count == 5 else {
      return .broken("\(words.count - 1) words follow \(kind), expected 2 addresses and 2 ports")
    }
    var addresses: [SocketAddress] = []
    for (host, port) in [(words[1], words[3]), (words[2], words[4])] {
      guard let number = number(port) else {
        return .broken("the port is \"\(port)\", expected 0 to 65535")
      }
      guard let address = address(kind, host, number) else {
        return .broken("the address is \"\(host)\", expected one of \(kind)")
      }
      addresses.append(address)
    }
    return .header(ProxyHeader(source: addresses[0]), length: end + 1)
  }

  private static func address(_ kind: String, _ host: String, _ port: UInt16) -> SocketAddress? {
    // Refuses a zero byte, which would end the kernel's parsing.
    guard host.utf8.allSatisfy({ $0 > 0x20 }) else { return nil }
    if kind == "TCP4" { return IP4(host).map { SocketAddress(.ip4(host: $0, port: port)) } }
    return IP6(host).map { SocketAddress(.ip($0, port: port)) }
  }

  /// Parses digits without a sign or leading zeros.
  private static func number(_ digits: String) -> UInt16? {
    guard let number = UInt16(digits), "\(number)" == digits else { return nil }
    return number
  }
}
