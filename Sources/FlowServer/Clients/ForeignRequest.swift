extension UnsafeRawBufferPointer {
  /// Whether the bytes end like the first line of a request of the web's protocols: in a blank,
  /// `HTTP/`, `RTSP/`, `SIP/` or `ICAP/`, and a number.
  var endsWithForeignVersion: Bool {
    var line = unsafe Array(self)[...]
    while line.last?.isBlankOrReturn == true { line.removeLast() }
    let end = line.count
    while line.last?.isDigitOrDot == true { line.removeLast() }
    guard line.count < end else { return false }
    return ["HTTP/", "RTSP/", "SIP/", "ICAP/"].contains { name in
      let isName = line.suffix(name.utf8.count).elementsEqual(name.utf8) { byte, capital in
        byte == capital || byte &- 0x20 == capital
      }
      return isName && line.dropLast(name.utf8.count).last?.isBlankOrReturn != false
    }
  }
}

extension UInt8 {
  fileprivate var isBlankOrReturn: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
  fileprivate var isDigitOrDot: Bool { self &- 0x30 < 10 || self == 0x2E }
}
