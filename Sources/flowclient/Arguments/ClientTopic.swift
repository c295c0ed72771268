/// A page of `help` that is not about a command and needs no server.
enum ClientTopic: String, CaseIterable {
  case environment
  case exitCodes = "exit-codes"

  var title: String {
    switch self {
    case .environment: "Environment variables"
    case .exitCodes: "Exit codes"
    }
  }

  /// The items of the page with their meanings.
  var rows: [(String, String)] {
    switch self {
    case .environment: ClientVariable.allCases.map { ($0.rawValue, $0.meaning) }
    case .exitCodes: ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
    }
  }

  /// The rows as JSON objects, one a line.
  var objects: String {
    let key =
      switch self {
      case .environment: "variable"
      case .exitCodes: "code"
      }
    return rows.map { "\(JSONLine.texts([(key, $0), ("meaning", $1)]))\n" }.joined()
  }
}
