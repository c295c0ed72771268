/// The header in which a proxy names the client of a connection.
///
/// Version 1 is a line, version 2 is binary:
/// <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>. It is only as trustworthy as the
/// peers that can connect.
package struct ProxyHeader: Equatable, Sendable {
  /// The client; nil if the proxy speaks for itself, as in a health check, or names no client.
  package var source: SocketAddress?
  /// The common name in the client's certificate, if the proxy verified it.
  package var certificateName: String?

  package init(source: SocketAddress? = nil, certificateName: String? = nil) {
    self.source = source
    self.certificateName = certificateName
  }

  package enum Reading: Equatable, Sendable {
    /// The bytes may be the beginning of a header.
    case incomplete
    /// The first `length` bytes are a header.
    case header(ProxyHeader, length: Int)
    /// The bytes are no header, for this reason.
    case broken(String)
  }

  package static let longest = 16 + 65_535

  package static func read(_ bytes: [UInt8]) -> Reading {
    if begins(bytes, like: ProxyHeader2.signature) { return ProxyHeader2.read(bytes) }
    if begins(bytes, like: ProxyHeader1.start) { return ProxyHeader1.read(bytes) }
    return .broken("the connection does not begin with one")
  }

  /// Whether one of `bytes` and `start` begins with the other.
  private static func begins(_ bytes: [UInt8], like start: [UInt8]) -> Bool {
    zip(bytes, start).allSatisfy { $0 == $1 }
  }
}
