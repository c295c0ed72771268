import Glibc

/// An IPv4 address, in network order; the text is made when it is read.
struct IP4: Hashable, Sendable, CustomStringConvertible {
  let bytes: UInt32

  static let loopback = IP4(in_addr(s_addr: INADDR_LOOPBACK.bigEndian))

  init(_ address: in_addr) { bytes = address.s_addr }

  init?(_ text: String) {
    var address = in_addr()
    guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return nil }
    self.init(address)
  }

  var kernelForm: in_addr { in_addr(s_addr: bytes) }

  var isLoopback: Bool { UInt32(bigEndian: bytes) >> 24 == 127 }

  var description: String { presentation(AF_INET, kernelForm, longest: Int(INET_ADDRSTRLEN)) }
}

/// An address of IPv6, in the order of the network.
struct IP6: Hashable, Sendable, CustomStringConvertible {
  let high: UInt64
  private let low: UInt64

  static let loopback = IP6(in6addr_loopback)

  init(_ address: in6_addr) {
    // memory 7
    (high, low) = unsafe unsafeBitCast(address, to: (UInt64, UInt64).self)
  }

  init?(_ text: String) {
    var address = in6_addr()
    guard unsafe inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    self.init(address)
  }

  /// The address of IPv4 that it stands for at a socket for both, as `::ffff:192.0.2.7` does.
  var ip4: IP4? {
    let low = UInt64(bigEndian: low)
    guard high == 0, low >> 32 == 0xFFFF else { return nil }
    return IP4(in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian))
  }

  var kernelForm: in6_addr { unsafe unsafeBitCast((high, low), to: in6_addr.self) }

  var description: String { presentation(AF_INET6, kernelForm, longest: Int(INET6_ADDRSTRLEN)) }
}

private func presentation<Host>(_ family: Int32, _ host: Host, longest: Int) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) { text in
    unsafe withUnsafePointer(to: host) { host in
      guard let base = text.baseAddress,
        unsafe inet_ntop(family, host, base, socklen_t(longest)) != nil
      else { return "?" }
      return unsafe String(cString: base)
    }
  }
}
