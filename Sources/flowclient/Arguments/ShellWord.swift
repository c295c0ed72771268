/// What a shell puts in place of `$0` in double quotes: its own name, or that of its script.
enum ShellWord {
  private static let shells: Set<Substring> = ["bash", "dash", "fish", "ksh", "sh", "zsh"]

  /// What to do about an expression with a mistake in whose closures a shell has replaced `$0`.
  ///
  /// - Returns: nil if it does not look so.
  static func advice(on expression: String) -> String? {
    guard !expression.contains("$"), let brace = expression.firstIndex(of: "{") else { return nil }
    let words = expression[brace...].split { !$0.isLetter && !$0.isNumber && !"_-/.".contains($0) }
    for word in words {
      // The members of the value stand behind the name of a shell, not behind that of a script.
      let path = word.hasSuffix(".sh") ? word : word.dropLast(member(of: word).count)
      let name = path.split { "/-.".contains($0) }.last ?? ""
      guard shells.contains(name) else { continue }
      return "the shell has put \"\(path)\" in place of $0; write the expression in single quotes"
    }
    return nil
  }

  /// What stands behind the file's name in a path: `.price`.
  private static func member(of word: Substring) -> Substring {
    let start = word.lastIndex(of: "/") ?? word.startIndex
    return word[start...].firstIndex(of: ".").map { word[$0...] } ?? ""
  }
}
