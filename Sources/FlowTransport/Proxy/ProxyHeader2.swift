/// Version 2: 12 bytes that no text begins with, version and command, family, length; then as many
/// bytes as that says, which are addresses and fields.
enum ProxyHeader2 {
  static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

  /// The number of bytes before the addresses.
  private static let fixed = 16

  static func read(_ bytes: [UInt8]) -> ProxyHeader.Reading {
    if bytes.count > 12, bytes[12] != 0x20, bytes[12] != 0x21 {
      return .broken("version and command are \(bytes[12]), expected 32 or 33")
    }
    guard bytes.count >= fixed else { return .incomplete }
    let length = fixed + Int(bytes[14]) << 8 + Int(bytes[15])
    guard bytes.count >= length else { return .incomplete }
    guard bytes[12] == 0x21 else { return .header(ProxyHeader(), length: length) }
    guard let size = size(ofFamily: bytes[13]) else {
      return .broken("family and protocol are \(bytes[13]), expected a stream")
    }
    let rest = bytes[fixed..<length]
    guard rest.count >= size else {
      return .broken("\(rest.count) bytes follow, expected addresses of \(size) bytes")
    }
    var header = ProxyHeader(source: source(bytes[13], Array(rest.prefix(size))))
    // Without addresses nothing is said of what follows.
    guard size > 0 else { return .header(header, length: length) }
    guard let fields = fields(rest.dropFirst(size)) else {
      return .broken("a field is longer than the header")
    }
    for field in fields where field.type == 0x20 {
      guard let name = certificateName(field.value) else {
        return .broken("the field about TLS is malformed")
      }
      header.certificateName = name
    }
    return .header(header, length: length)
  }

  /// The number of bytes of the addresses; nil for a connection that is no stream of a known
  /// family.
  private static func size(ofFamily family: UInt8) -> Int? {
    switch family {
    case 0x00: 0
    case 0x11: 12
    case 0x21: 36
    case 0x31: 216
    default: nil
    }
  }

  /// The client; one on a Unix socket has no address.
  private static func source(_ family: UInt8, _ bytes: [UInt8]) -> SocketAddress? {
    func port(at place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
    switch family {
    case 0x11:
      let host = bytes.prefix(4).map { "\($0)" }.joined(separator: ".")
      return IP4(host).map { SocketAddress(.ip4(host: $0, port: port(at: 8))) }
    case 0x21:
      let groups = stride(from: 0, to: 16, by: 2).map { String(port(at: $0), radix: 16) }
      let host = groups.joined(separator: ":")
      return IP6(host).map { SocketAddress(.ip($0, port: port(at: 32))) }
    default:
      return nil
    }
  }

  private typealias Field = (type: UInt8, value: ArraySlice<UInt8>)

  /// Type, length and value, one after the other; nil if they do not end where `bytes` do.
  private static func fields(_ bytes: ArraySlice<UInt8>) -> [Field]? {
    var fields: [Field] = []
    var rest = bytes
    while let type = rest.popFirst() {
      guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
      let length = Int(high) << 8 + Int(low)
      guard rest.count >= length else { return nil }
      fields.append((type, rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return fields
  }

  /// The one name in a verified certificate: nil if the field is malformed, a nil in it if there is
  /// no such certificate or no such name.
  private static func certificateName(_ value: ArraySlice<UInt8>) -> String?? {
    guard let client = value.first, value.count >= 5, let fields = fields(value.dropFirst(5)) else {
      return nil
    }
    let isVerified = value.dropFirst().prefix(4).allSatisfy { $0 == 0 }
    // TLS is spoken, and a certificate was shown, now or earlier in the TLS session.
    guard isVerified, client & 0x01 != 0, client & 0x06 != 0 else { return .some(nil) }
    let names = fields.filter { $0.type == 0x22 }
    guard names.count == 1, let bytes = names.first?.value,
      let name = String(validating: bytes, as: UTF8.self), !name.isEmpty
    else { return .some(nil) }
    return name
  }
}
