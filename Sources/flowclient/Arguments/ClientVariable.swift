/// A variable of the environment that the client reads.
enum ClientVariable: String, CaseIterable {
  case server = "FLOW_SERVER"
  case token = "FLOW_TOKEN"
  case noColor = "NO_COLOR"
  case terminal = "TERM"
  case moreColors = "COLORTERM"
  case stateFolder = "XDG_STATE_HOME"
  case home = "HOME"

  /// Its meaning, for the help.
  var meaning: String {
    switch self {
    case .server: "the server, where --server does not say it"
    case .token: "the token, where --token-file does not name one"
    case .noColor: "if it is not empty, as --color never"
    case .terminal: "if it is dumb, no colors, and nothing is drawn anew"
    case .moreColors: "if it is not empty, the terminal has 256 colors, whatever TERM says"
    case .stateFolder: "the folder of flowclient/history, if it is absolute"
    case .home: "without XDG_STATE_HOME, the history is in .local/state/flowclient here"
    }
  }
}

extension Surroundings {
  /// The value of a variable; `nil` if it is not set, or empty.
  func value(of variable: ClientVariable) -> String? {
    environment(variable.rawValue).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the terminal says that it shows plain lines only.
  var terminalIsDumb: Bool { value(of: .terminal) == "dumb" }
}
