/// The first line and the headers of a request.
package struct RequestHead: Equatable, Sendable {
  /// The method as sent; methods are case-sensitive.
  package var method: String
  /// Percent-decoded; begins with `/` and contains no NUL.
  ///
  /// It is not normalized: `.`, `..`, `//` and decoded slashes remain. Compare it with known paths;
  /// never open a file by it.
  package var path: String
  /// The parameters of the query in order, percent-decoded; a `+` is a space.
  package var query: [HTTPField]
  /// 0 for HTTP/1.0, 1 for HTTP/1.1 and every later HTTP/1.
  package var minorVersion: Int
  /// The headers in order: names in lower case, values trimmed.
  ///
  /// Invalid UTF-8 in a value is repaired. A repeated Host or Content-Length appears once.
  package internal(set) var headers: [HTTPField] = []
  /// The length of the body in bytes; 0 if the request does not say.
  package internal(set) var contentLength = 0

  /// The value of the first query parameter with this name.
  package func query(_ name: String) -> String? {
    query.first { $0.name.hasBytes(of: name) }?.value
  }

  package func queries(_ name: String) -> [String] {
    query.filter { $0.name.hasBytes(of: name) }.map(\.value)
  }

  /// The value of a header; nil if it is absent.
  ///
  /// The name must be in lower case. Repeated headers are joined with `, `; use `cookie` for
  /// cookies.
  package func header(_ name: String) -> String? {
    let values = headers.filter { $0.name.hasBytes(of: name) }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The value of a cookie, without quotes around it; nil if it was not sent.
  ///
  /// Of several with one name, for different paths, the first counts.
  package func cookie(_ name: String) -> String? {
    for header in headers where header.name.hasBytes(of: "cookie") {
      for pair in header.value.utf8.split(separator: 0x3B) {
        let parts = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmed.elementsEqual(name.utf8) else { continue }
        var value = parts[1].trimmed
        if value.count >= 2, value.first == 0x22, value.last == 0x22 {
          value = value.dropFirst().dropLast()
        }
        return String(Substring(value))
      }
    }
    return nil
  }

  /// Whether the client waits, for a while, for `100 Continue` before it sends the body.
  package var awaitsContinue: Bool {
    minorVersion >= 1 && header("expect")?.lists("100-continue") == true
  }

  /// Whether the client may send another request on this connection.
  package var keepsAlive: Bool {
    let connection = header("connection") ?? ""
    guard !connection.lists("close") else { return false }
    return minorVersion >= 1 || connection.lists("keep-alive")
  }
}
