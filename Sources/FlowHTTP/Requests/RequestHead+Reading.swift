extension RequestHead {
  static let longestBody = 8 << 10
  static let mostHeaders = 100

  init(_ line: RequestLine) {
    method = line.method
    path = line.path
    query = line.query
    minorVersion = line.minorVersion
  }

  /// Reads a header line, without its end.
  mutating func readHeader(_ line: [UInt8]) throws(BadRequest) {
    guard line.first?.isBlank == false else {
      throw BadRequest("a header continues on a second line")
    }
    let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw BadRequest("a header has no colon") }
    // Refuses a blank before the colon, which other servers have taken for a part of the name.
    guard !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenPart) else {
      throw BadRequest("the name of a header is not a word")
    }
    let name = String(decoding: parts[0].map(\.lowercased), as: UTF8.self)
    let value = parts[1].trimmed
    switch name {
    case "host":
      guard value.allSatisfy(\.isHostPart) else { throw BadRequest("Host is not a host") }
    case "content-length": contentLength = try Self.length(value)
    case "transfer-encoding":
      throw BadRequest(501, "Transfer-Encoding is not supported; send Content-Length")
    default: break
    }
    try add(HTTPField(name, String(decoding: value, as: UTF8.self)))
  }

  private mutating func add(_ field: HTTPField) throws(BadRequest) {
    if field.name == "host" || field.name == "content-length", let earlier = header(field.name) {
      guard earlier.hasBytes(of: field.value) else {
        throw BadRequest("there are two \(field.name) headers, and they differ")
      }
      return
    }
    guard headers.count < Self.mostHeaders else {
      throw BadRequest(431, "there are more than \(Self.mostHeaders) headers")
    }
    headers.append(field)
  }

  private static func length(_ digits: ArraySlice<UInt8>) throws(BadRequest) -> Int {
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else {
      throw BadRequest("Content-Length is not a number")
    }
    var length = 0
    for digit in digits {
      length = length * 10 + Int(digit - 0x30)
      guard length <= longestBody else {
        throw BadRequest(413, "the body has more than \(longestBody) bytes")
      }
    }
    return length
  }

  /// Checks the headers as a whole.
  ///
  /// `host`, from a target that is a whole URI, replaces the Host header, which must be present all
  /// the same: RFC 9112, section 3.2.
  mutating func end(host: String?) throws(BadRequest) {
    guard minorVersion == 0 || header("host") != nil else { throw BadRequest("Host is missing") }
    guard let host else { return }
    headers.removeAll { $0.name == "host" }
    headers.append(HTTPField("host", host))
  }
}
