/// Encodes Flow's messages to NATS.
///
/// It reuses its buffer; the sender of the bytes empties it.
package struct NATSWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16) }

  /// Appends `CONNECT`, and a `PING` whose `PONG` confirms the login.
  package mutating func connect(_ login: NATSLogin, name: String) {
    put("CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true")
    put(",\"echo\":true,\"protocol\":1,\"lang\":\"flow\",\"name\":")
    put(jsonText(name))
    switch login {
    case .none: break
    case .token(let token):
      put(",\"auth_token\":")
      put(jsonText(token))
    case .user(let user, let password):
      put(",\"user\":")
      put(jsonText(user))
      put(",\"pass\":")
      put(jsonText(password))
    }
    put("}\r\n")
    ping()
  }

  package mutating func ping() { put("PING\r\n") }

  package mutating func pong() { put("PONG\r\n") }

  package mutating func subscribe(_ subject: String, number: UInt64) {
    put("SUB \(subject) \(number)\r\n")
  }

  /// Appends a message without headers.
  package mutating func publish(_ subject: String, reply: String = "", _ payload: [UInt8] = []) {
    put(reply.isEmpty ? "PUB \(subject) " : "PUB \(subject) \(reply) ")
    put(payload.count)
    put("\r\n")
    bytes += payload
    put("\r\n")
  }

  /// Appends a message with headers, each ending with CR LF.
  package mutating func publish(
    _ subject: String,
    reply: String = "",
    headers: String,
    _ payload: [UInt8]
  ) {
    put(reply.isEmpty ? "HPUB \(subject) " : "HPUB \(subject) \(reply) ")
    let start = "NATS/1.0\r\n"
    let count = start.utf8.count + headers.utf8.count + 2
    put(count)
    put(" ")
    put(count + payload.count)
    put("\r\n")
    put(start)
    put(headers)
    put("\r\n")
    bytes += payload
    put("\r\n")
  }

  private mutating func put(_ text: String) { bytes += text.utf8 }

  private mutating func put(_ number: Int) { bytes += String(number).utf8 }
}

/// Flow's credentials at NATS.
package enum NATSLogin: Equatable, Sendable {
  case none
  case token(String)
  case user(String, password: String)
}

package func jsonText(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case _ where scalar.value < 0x20:
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
