/// The first line and the headers of a response.
///
/// `write` adds Content-Length and Connection; `headers` has the rest.
package struct ResponseHead: Sendable {
  /// How the client finds the end of the body.
  package enum Body: Equatable, Sendable {
    /// The response has no body and no header about it: 100, 101, 204.
    case none
    /// The length of the body; no bytes follow if the request was a HEAD.
    case bytes(Int)
    /// The body ends with the connection.
    case untilClose
  }

  package var status: Int
  package var headers: [(String, String)]

  package init(_ status: Int, _ headers: [(String, String)] = []) {
    self.status = status
    self.headers = headers
  }

  /// Appends the head to `bytes`; the caller appends the body.
  ///
  /// Control characters in a value become spaces, and invalid characters in a name become `_`. A
  /// 100 or a 101 has no Connection header.
  package func write(into bytes: inout [UInt8], _ body: Body, keepsAlive: Bool) {
    bytes += "HTTP/1.1 \(status) \(Self.phrase(status))\r\n".utf8
    for (name, value) in headers { Self.write(name, value, into: &bytes) }
    switch body {
    case .none, .untilClose: break
    case .bytes(let count): Self.write("Content-Length", String(count), into: &bytes)
    }
    if status >= 200 {
      let staysOpen = keepsAlive && body != .untilClose
      Self.write("Connection", staysOpen ? "keep-alive" : "close", into: &bytes)
    }
    bytes += "\r\n".utf8
  }

  package func write(into bytes: inout [UInt8], body: [UInt8], keepsAlive: Bool) {
    write(into: &bytes, .bytes(body.count), keepsAlive: keepsAlive)
    bytes += body
  }

  private static func write(_ name: String, _ value: String, into bytes: inout [UInt8]) {
    bytes += name.utf8.lazy.map { $0.isTokenPart ? $0 : 0x5F }
    bytes += ": ".utf8
    bytes += value.utf8.lazy.map { $0.isControl ? .space : $0 }
    bytes += "\r\n".utf8
  }

  /// The reason phrase of a status; empty if Flow does not use the status.
  package static func phrase(_ status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 200: "OK"
    case 204: "No Content"
    case 303: "See Other"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }
}

extension ResponseHead: Equatable {
  package static func == (one: ResponseHead, other: ResponseHead) -> Bool {
    one.status == other.status && one.headers.elementsEqual(other.headers, by: ==)
  }
}
