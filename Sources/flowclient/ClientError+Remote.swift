import FlowRemote

extension ClientError {
  /// No connection.
  init(connecting error: RemoteError, to server: String) {
    switch error.code {
    case RemoteError.unreachable, RemoteError.lost, RemoteError.timeout:
      let reason = error.message
      self.init(
        .unreachable,
        "cannot reach \(server): \(reason)",
        advice: "start one: FlowServer demo"
      )
    default: self.init(error)
    }
  }

  /// The server said no, or went away.
  init(_ error: RemoteError) {
    let text = error.description
    switch error.code {
    case RemoteError.lost: self.init(.unreachable, "connection lost: \(error.message)")
    case "shutdown", "idle", "quit": self.init(.unreachable, "connection ended: \(text)")
    case RemoteError.protocolBroken: self.init(.protocolBroken, error.message)
    case "framing", "version", "http", "tls": self.init(.protocolBroken, text)
    case "denied", "auth": self.init(.refused, text)
    case "draining", "limit", "overflow": self.init(.tryLater, text)
    default: self.init(.no, text)
    }
  }

  /// The server refused an expression: a mistake in it is shown in its place.
  init(_ error: RemoteError, in expression: String) {
    self.init(error)
    let parts = error.message.split(separator: ":", maxSplits: 1)
    guard error.code == "syntax", parts.count == 2, let column = Int(parts[0]) else { return }
    // The server counts from 1 and in the whole command, which begins with `SUB `.
    let place = column - 5
    guard (0...expression.count).contains(place) else { return }
    message = "\(parts[1].drop { $0 == " " })"
    advice = "  \(expression)\n  \(String(repeating: " ", count: place))^"
  }
}
