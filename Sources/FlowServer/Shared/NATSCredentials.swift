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
  /// The secret is the rest of the line and may contain blanks. Empty lines and `#` lines are ignored. No error
  /// shows a secret.
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

  /// Takes the first word of `rest`, and the blanks behind it.
  private static func takeWord(from rest: inout Substring) -> String {
    let word = rest.prefix { !isBlank($0) }
    rest = rest[word.endIndex...].drop(while: isBlank)
    return String(word)
  }

  private static func error(_ name: String, _ message: String) -> ConfigurationError {
    ConfigurationError(place: name, message: "error: \(message)")
  }
}
