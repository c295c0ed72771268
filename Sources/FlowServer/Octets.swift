internal import FlowTransport

/// The version of the server, as the greeting tells it.
public let flowVersion = "0.1.0"

extension UnsafeRawBufferPointer {
  /// Whether a CR or an LF is among the octets: then they can not stand in a `=` frame.
  @inline(__always)
  var containsLineBreak: Bool {
    var index = 0
    let ones: UInt64 = 0x0101_0101_0101_0101
    while index &+ 8 <= count {
      let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if Self.hasZeroByte(word ^ (ones &* 10)) || Self.hasZeroByte(word ^ (ones &* 13)) {
        return true
      }
      index &+= 8
    }
    while index < count {
      let byte = self[index]
      if byte == 10 || byte == 13 { return true }
      index &+= 1
    }
    return false
  }

  /// Sets the high bit of zero octets; see graphics.stanford.edu/~seander/bithacks, "ZeroInWord".
  @inline(__always)
  private static func hasZeroByte(_ word: UInt64) -> Bool {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
  }

  /// Whether the octets look like the first line of an HTTP request.
  var endsWithHTTPVersion: Bool {
    suffix(8).elementsEqual("HTTP/1.1".utf8) || suffix(8).elementsEqual("HTTP/1.0".utf8)
      || suffix(8).elementsEqual("HTTP/2.0".utf8)
  }
}
