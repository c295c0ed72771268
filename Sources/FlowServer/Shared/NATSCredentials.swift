/// Who a server is to the NATS that holds its shared subjects.
public enum NATSCredentials: Equatable, Sendable {
  /// Nobody in particular.
  case none
  /// Whoever knows this token.
  case token(String)
  /// A user.
  case user(String, password: String)

  /// Reads the one line of a file named `name`: `token TOKEN` or `user NAME PASSWORD`.
  ///
  /// Empty lines and `#` lines are left out. No error shows a secret.
  public init(in text: String, file name: String) throws(ConfigurationError) {
    let lines = text.split { $0.isNewline }.map { $0.split { $0 == " " || $0 == "\t" } }
      .filter { !($0.first?.hasPrefix("#") ?? true) }
    guard lines.count == 1, let words = lines.first?.map(String.init) else {
      throw Self.error(name, "there are \(lines.count) lines, expected one")
    }
    switch (words[0], words.count) {
    case ("token", 2): self = .token(words[1])
    case ("user", 3): self = .user(words[1], password: words[2])
    default: throw Self.error(name, "expected token TOKEN or user NAME PASSWORD")
    }
  }

  private static func error(_ name: String, _ message: String) -> ConfigurationError {
    ConfigurationError(place: name, message: "error: \(message)")
  }
}
