extension UnsafeRawBufferPointer {
  /// Whether the bytes end like a request line of the web: a space, `HTTP/`, `RTSP/`, `SIP/` or
  /// `ICAP/`, and a number.
  var endsWithForeignVersion: Bool {
    var end = count
    while end > 0, unsafe self[end - 1].isBlankOrReturn { end -= 1 }
    var start = end
    while start > 0, unsafe self[start - 1].isDigitOrDot { start -= 1 }
    guard start < end, start > 0, unsafe self[start - 1] == 0x2F else { return false }
    let line = unsafe self[..<start]
    return ["HTTP/", "RTSP/", "SIP/", "ICAP/"].contains { name in
      let isName = unsafe line.suffix(name.utf8.count).elementsEqual(name.utf8) { byte, capital in
        byte == capital || byte &- 0x20 == capital
      }
      return unsafe isName && line.dropLast(name.utf8.count).last?.isBlankOrReturn != false
    }
  }
}

extension UInt8 {
  fileprivate var isBlankOrReturn: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
  fileprivate var isDigitOrDot: Bool { self &- 0x30 < 10 || self == 0x2E }
}
