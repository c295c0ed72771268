/// A line of a token file, and what the page says of it.
struct TokenRule: Equatable {
  private let rights: Set<Substring>
  private let patterns: [Substring]

  /// The rules of these lines, by their tokens.
  static func all(_ lines: [String]) -> [String: TokenRule] {
    var rules: [String: TokenRule] = [:]
    for words in lines.map({ $0.split(separator: " ") }) where words.count > 1 {
      var rights = Set(words[1].split(separator: ","))
      if rights.contains("all") { rights.formUnion(["sub", "pub", "define", "print", "admin"]) }
      if rights.contains("pub") { rights.formUnion(["send", "complete", "ask", "serve", "hold"]) }
      if rights.contains("define") { rights.insert("hold") }
      let patterns = words.count > 2 ? words[2].split(separator: ",") : ["*"]
      rules[String(words[0])] = TokenRule(rights: rights, patterns: patterns)
    }
    return rules
  }

  private func covers(_ name: String) -> Bool {
    func fits(_ pattern: Substring) -> Bool {
      pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }
    return patterns.contains { !$0.hasPrefix("!") && fits($0) }
      && !patterns.contains { $0.hasPrefix("!") && fits($0.dropFirst()) }
  }

  /// Whether its streams make publishers wait.
  var holds: Bool { rights.contains("hold") }

  /// What anybody may say.
  static func isFree(_ verb: String) -> Bool {
    ["PING", "HELLO", "AUTH", "HELP", "QUIT"].contains(verb)
  }

  /// Whether a command is allowed; nil where that depends on more than its first words.
  func allows(_ verb: String, _ words: [String]) -> Bool? {
    let target = words.count > 1 ? words[1] : ""
    let isName = target.first?.isLetter ?? false && target.allSatisfy { $0.isLetter || $0.isNumber }
    func needs(_ right: Substring) -> Bool? {
      isName ? rights.contains(right) && covers(target) : nil
    }
    switch verb {
    case "SUB", "TAKE", "TAIL":
      // `Just(1)` is no name, and neither is `s0 .map { $0 }`.
      return words.count > 2 && ".{".contains(words[2].first ?? " ") ? nil : needs("sub")
    case "SEND", "FEED": return needs("send")
    case "PUB": return words.contains { $0.hasPrefix("owner") } ? nil : needs("send")
    case "SERVE": return needs("serve")
    case "DONE", "FAIL": return needs("complete")
    case "SUBJECT", "PIPELINE", "RUN", "DELETE": return rights.contains("define") ? nil : false
    case "KILL": return rights.contains("admin") ? nil : false
    default: return Self.isFree(verb) ? true : nil
    }
  }
}
