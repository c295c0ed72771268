/// The first line and the headers of a request.
package struct RequestHead: Equatable, Sendable {
  /// As it was written; methods tell capital letters from small ones.
  package var method: String
  /// Percent-decoded; begins with `/` and contains no NUL.
  ///
  /// Nothing else is done to it: `.`, `..`, `//` and decoded slashes are there as they came. Compare
  /// it with what is there; do not open a file by it.
  package var path: String
  /// The parts of the query in their order, percent-decoded; a `+` is a space.
  package var query: [HTTPField]
  /// 0 for HTTP/1.0, 1 for HTTP/1.1 and every later HTTP/1.
  package var minorVersion: Int
  /// The headers in their order: names in small letters, values without the blanks around them.
  ///
  /// What is not UTF-8 in a value is repaired. A Host or Content-Length that was sent several times
  /// is here once.
  package internal(set) var headers: [HTTPField] = []
  /// The number of bytes of the body; 0 if the request does not say.
  package internal(set) var contentLength = 0

  /// The value of the first part of the query with this name; nil if there is none.
  package func query(_ name: String) -> String? {
    query.first { $0.name.hasBytes(of: name) }?.value
  }

  /// The values of all parts of the query with this name.
  package func queries(_ name: String) -> [String] {
    query.filter { $0.name.hasBytes(of: name) }.map(\.value)
  }

  /// The value of a header; nil if it is absent.
  ///
  /// The name is in small letters. The values of one that was sent several times are joined with
  /// `, `. For cookies ask `cookie`.
  package func header(_ name: String) -> String? {
    let values = headers.filter { $0.name.hasBytes(of: name) }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The value of a cookie, without quotes around it; nil if it was not sent.
  ///
  /// Of several with one name, which belong to several paths, it is the first.
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

  /// Whether the client waits for a `100 Continue` before it sends the body, though not for ever.
  package var awaitsContinue: Bool {
    minorVersion >= 1 && header("expect")?.lists("100-continue") == true
  }

  /// Whether the client expects to send a further request on this connection.
  package var keepsAlive: Bool {
    let connection = header("connection") ?? ""
    guard !connection.lists("close") else { return false }
    return minorVersion >= 1 || connection.lists("keep-alive")
  }
}
