/// What a proxy says first, for a client at 192.0.2.7:53211.
enum ProxyHello {
  /// Version 1.
  static let line = "PROXY TCP4 192.0.2.7 203.0.113.1 53211 3570\r\n"

  /// Version 2, with a certificate that the proxy has verified or not.
  static func header(_ name: String, isVerified: Bool = true) -> [UInt8] {
    func field(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
      [type, 0, UInt8(value.count)] + value
    }
    let address: [UInt8] = [192, 0, 2, 7, 203, 0, 113, 1, 0xCF, 0xDB, 0x0D, 0xF2]
    let name = field(0x22, Array(name.utf8))
    let rest = address + field(0x20, [7, 0, 0, 0, isVerified ? 0 : 1] + name)
    return [
      13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, UInt8(rest.count),
    ]
      + rest
  }
}
