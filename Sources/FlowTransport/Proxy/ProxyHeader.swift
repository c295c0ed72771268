/// The header with which a proxy names the client of a connection.
///
/// Version 1 is a line, version 2 is binary:
/// <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>. Whoever can connect can say anything
/// in one, so it is worth as much as those who can connect.
package struct ProxyHeader: Equatable, Sendable {
  /// The client of the proxy; nil if the proxy speaks for itself, as in a health check, or names
  /// none.
  package var source: SocketAddress?
  /// The common name in the certificate that the client has shown to the proxy, if the proxy has
  /// verified it.
  package var certificateName: String?

  package init(source: SocketAddress? = nil, certificateName: String? = nil) {
    self.source = source
    self.certificateName = certificateName
  }

  package enum Reading: Equatable, Sendable {
    /// These bytes may be the beginning of a header.
    case incomplete
    /// The first `length` bytes are one.
    case header(ProxyHeader, length: Int)
    /// No header begins so; the text says why.
    case broken(String)
  }

  /// The longest header, in bytes.
  package static let longest = 16 + 65_535

  /// Reads the header that `bytes` begin with.
  package static func read(_ bytes: [UInt8]) -> Reading {
    if begins(bytes, like: ProxyHeader2.signature) { return ProxyHeader2.read(bytes) }
    if begins(bytes, like: ProxyHeader1.start) { return ProxyHeader1.read(bytes) }
    return .broken("the connection does not begin with one")
  }

  /// Whether `bytes` and `start` are the same, as far as there are bytes.
  private static func begins(_ bytes: [UInt8], like start: [UInt8]) -> Bool {
    zip(bytes, start).allSatisfy { $0 == $1 }
  }
}
