/// What the client reads of its environment.
enum ClientVariable: String, CaseIterable {
  case server = "FLOW_SERVER"
  case token = "FLOW_TOKEN"
  case noColor = "NO_COLOR"
  case terminal = "TERM"

  /// What it says, for the help.
  var meaning: String {
    switch self {
    case .server: "the server, where --server does not say it"
    case .token: "the token, where --token-file does not name one"
    case .noColor: "if it is not empty, as --color never"
    case .terminal: "if it is dumb, no colors, and nothing is drawn anew"
    }
  }
}

extension Surroundings {
  /// What a variable says; nil if it is not set, or empty.
  func value(of variable: ClientVariable) -> String? {
    environment(variable.rawValue).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the terminal says that it shows plain lines only.
  var terminalIsDumb: Bool { value(of: .terminal) == "dumb" }
}
