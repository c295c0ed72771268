internal import FlowWire
internal import Spelling

extension Token {
  /// Parses a token file: lines `TOKEN RIGHTS [PATTERNS]`.
  ///
  /// TOKEN is the secret, or `sha256:` with its hexadecimal digest, or `cert:` with the common name
  /// of a certificate that a proxy has verified. RIGHTS and PATTERNS are separated by commas. A
  /// pattern is a name, or a prefix and `*`; `!` denies; without patterns the token is valid for
  /// all names. Empty lines and `#` lines are skipped. Errors never show a token. A file without
  /// tokens is an error unless it has a line `# empty`.
  public static func all(
    in text: String,
    file name: String
  ) throws(ConfigurationError) -> [Token] {
    var tokens: [Token] = []
    var places: [SHA256: Int] = [:]
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") {
      let fields = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard !fields.isEmpty else { continue }
      let place = "\(name):\(index + 1)"
      guard 2...3 ~= fields.count else {
        throw ConfigurationError(
          place: place,
          message: "expected 2 or 3 fields (TOKEN RIGHTS [PATTERNS]), found \(fields.count)"
        )
      }
      let patterns: NamePatterns
      do throws(NamePatterns.PatternError) {
        patterns = try fields.count > 2 ? NamePatterns(fields[2]) : .all
      } catch {
        throw ConfigurationError(place: place, message: error.message)
      }
      let rights = try rights(fields[1], place)
      let certificate = try certificate(fields[0], place)
      let digest = try digest(fields[0], place)
      if let first = places.updateValue(index + 1, forKey: digest) {
        throw ConfigurationError(place: place, message: "repeats the token of line \(first)")
      }
      tokens.append(
        Token(digest, rights: rights, patterns: patterns, certificate: certificate)
      )
    }
    guard !tokens.isEmpty || lines.contains(where: isMeantEmpty) else {
      throw ConfigurationError(
        place: name,
        message:
          "has no token, expected TOKEN RIGHTS [PATTERNS]; if it is empty on purpose, write \"# empty\""
      )
    }
    return tokens
  }

  private static func isMeantEmpty(_ line: Substring) -> Bool {
    line.split { $0 == " " || $0 == "\t" } == ["#", "empty"]
  }

  private static func certificate(
    _ text: String,
    _ place: String
  ) throws(ConfigurationError) -> String? {
    let start = "cert:"
    guard text.hasPrefix(start) else { return nil }
    guard text != start else {
      let message = "expected the common name of a certificate after cert:"
      throw ConfigurationError(place: place, message: message)
    }
    return String(text.dropFirst(start.count))
  }

  private static func digest(
    _ text: String,
    _ place: String
  ) throws(ConfigurationError) -> SHA256 {
    let start = "sha256:"
    guard text.lowercased().hasPrefix(start) else { return SHA256(of: text.utf8) }
    guard let digest = SHA256(hexadecimal: text.dropFirst(start.count)) else {
      let message = "expected 64 hexadecimal digits after sha256:, as sha256sum prints them"
      throw ConfigurationError(place: place, message: message)
    }
    return digest
  }

  static func rights(
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
          message: "unknown right; expected \(words.joined(separator: ", "))\(meant)"
        )
      }
      rights.formUnion(right)
    }
    return rights
  }
}
