/// How a server authenticates to NATS.
public enum NATSCredentials: Equatable, Sendable {
  /// No authentication.
  case none
  /// A token.
  case token(String)
  /// A user with a password.
  case user(String, password: String)

  /// Parses a file named `name` with one line: `token TOKEN` or `user NAME PASSWORD`.
  ///
  /// The secret is the rest of the line and may contain spaces. Empty lines and `#` lines are
  /// skipped. Errors never show a secret.
  public init(in text: String, file name: String) throws(ConfigurationError) {
    let lines = text.split { $0.isNewline }.map { $0.drop(while: Self.isBlank) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard lines.count == 1, var rest = lines.first else {
      throw Self.error(name, "there are \(lines.count) lines, expected one")
    }
    let kind = Self.takeWord(from: &rest)
    let user = kind == "user" ? Self.takeWord(from: &rest) : ""
    switch kind {
    case _ where rest.isEmpty: throw Self.error(name, "expected token TOKEN or user NAME PASSWORD")
    case "token": self = .token(String(rest))
    case "user": self = .user(user, password: String(rest))
    default: throw Self.error(name, "expected token TOKEN or user NAME PASSWORD")
    }
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }

  /// Takes the first word and the spaces behind it.
  private static func takeWord(from rest: inout Substring) -> String {
    let word = rest.prefix { !isBlank($0) }
    rest = rest[word.endIndex...].drop(while: isBlank)
    return String(word)
  }

  private static func error(_ name: String, _ message: String) -> ConfigurationError {
    ConfigurationError(place: name, message: "error: \(message)")
  }
}
