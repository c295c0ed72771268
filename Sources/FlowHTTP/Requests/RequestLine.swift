/// The first line of a request: `METHOD TARGET HTTP/1.x`.
struct RequestLine {
  let method: String
  private(set) var path = "/"
  private(set) var query: [HTTPField] = []
  let minorVersion: Int
  /// The host of a target that is a whole URI, as proxies are sent; it replaces the header.
  private(set) var host: String?

  /// Reads a line without its end.
  init(_ line: [UInt8]) throws(BadRequest) {
    let words = line.split(separator: .space, omittingEmptySubsequences: false)
    guard words.count == 3 else {
      throw BadRequest("expected METHOD TARGET HTTP/1.1, found \(words.count) words")
    }
    guard !words[0].isEmpty, words[0].allSatisfy(\.isTokenPart) else {
      throw BadRequest("the method is not a word")
    }
    method = String(decoding: words[0], as: UTF8.self)
    minorVersion = try Self.minorVersion(words[2])
    guard !words[1].isEmpty else { throw BadRequest("the target is missing") }
    // A fragment stays with the client. Everything else that can be seen is taken, though some of
    // it ought to be encoded: browsers do not encode all of it in queries.
    guard words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
      throw BadRequest("the target contains a character that must be percent-encoded")
    }
    try readTarget(words[1])
  }

  private static func minorVersion(_ word: ArraySlice<UInt8>) throws(BadRequest) -> Int {
    let version = Array(word)
    guard version.count == 8, version.starts(with: "HTTP/".utf8), version[5].isDigit,
      version[6] == 0x2E, version[7].isDigit
    else {
      throw BadRequest("expected HTTP/1.1 at the end of the first line")
    }
    guard version[5] == 0x31 else { throw BadRequest(505, "only HTTP/1 is spoken here") }
    // A later minor version is served as 1.1: RFC 9110, section 2.5.
    return version[7] == 0x30 ? 0 : 1
  }

  private mutating func readTarget(_ target: ArraySlice<UInt8>) throws(BadRequest) {
    var target = target
    if target.first != 0x2F { target = try takeHost(target) }
    let parts = target.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
    if let encoded = parts.first, !encoded.isEmpty {
      guard let decoded = HTTPText.percentDecode(encoded) else {
        throw BadRequest("the path is not percent-encoded UTF-8")
      }
      path = decoded
    }
    for part in parts.dropFirst().joined().split(separator: 0x26) {
      let sides = part.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = HTTPText.percentDecode(sides[0], plusIsSpace: true),
        let value = HTTPText.percentDecode(sides.dropFirst().joined(), plusIsSpace: true)
      else {
        throw BadRequest("the query is not percent-encoded UTF-8")
      }
      query.append(HTTPField(name, value))
    }
  }

  /// Removes `http://host` from the start of a target; the rest begins with `/` or `?`, or is
  /// empty.
  private mutating func takeHost(
    _ target: ArraySlice<UInt8>
  ) throws(BadRequest) -> ArraySlice<UInt8> {
    let scheme = "http://".utf8
    guard target.prefix(scheme.count).map(\.lowercased).elementsEqual(scheme) else {
      throw BadRequest("the target does not begin with / or http://")
    }
    let rest = target.dropFirst(scheme.count)
    let host = rest.prefix { $0 != 0x2F && $0 != 0x3F }
    guard !host.isEmpty, host.allSatisfy(\.isHostPart) else {
      throw BadRequest("the target has no host")
    }
    self.host = String(decoding: host, as: UTF8.self)
    return rest.dropFirst(host.count)
  }
}
