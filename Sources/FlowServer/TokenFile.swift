internal import FlowWire
internal import Spelling

extension Token {
  /// The tokens of a file named `name`: lines `TOKEN RIGHTS [PATTERN]`.
  ///
  /// RIGHTS are words with commas between them, PATTERN is a name, or the beginning of names and a
  /// `*`; without it the token is good for all names. Empty lines and `#` lines are left out. No
  /// error shows a token.
  public static func all(
    in text: String,
    file name: String
  ) throws(ConfigurationError) -> [Token] {
    var tokens: [Token] = []
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") {
      let fields = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard !fields.isEmpty else { continue }
      let place = "\(name):\(index + 1)"
      guard 2...3 ~= fields.count else {
        throw ConfigurationError(
          place: place,
          message: "has \(fields.count) fields, expected TOKEN RIGHTS [PATTERN]"
        )
      }
      let pattern = fields.count > 2 ? fields[2] : "*"
      guard isPattern(pattern) else {
        throw ConfigurationError(
          place: place,
          message: "the pattern is '\(pattern)', expected a name, or its beginning and a *"
        )
      }
      let rights = try rights(fields[1], place)
      tokens.append(Token(fields[0], rights: rights, pattern: pattern))
    }
    guard !tokens.isEmpty else {
      throw ConfigurationError(
        place: name,
        message: "has no token, expected TOKEN RIGHTS [PATTERN]"
      )
    }
    return tokens
  }

  private static func rights(
    _ text: String,
    _ place: String
  ) throws(ConfigurationError) -> Rights {
    var rights: Rights = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let right = Rights.words.first(where: { $0.word == word })?.right else {
        let words = Rights.words.map(\.word)
        let meant = nearest(to: word, among: words).map { "; did you mean \($0)?" } ?? ""
        throw ConfigurationError(
          place: place,
          message: "the rights are not \(words.joined(separator: ", "))\(meant)"
        )
      }
      rights.formUnion(right)
    }
    return rights
  }

  private static func isPattern(_ text: String) -> Bool {
    let name = text.hasSuffix("*") ? text.dropLast() : text[...]
    return (text.hasSuffix("*") || !name.isEmpty)
      && name.utf8.allSatisfy { $0.continuesName || $0 == UInt8(ascii: "$") }
  }
}
