/// A shell's replacement of `$0` in double quotes: its own name, or its script's.
enum ShellWord {
  private static let shells: Set<Substring> = ["bash", "dash", "fish", "ksh", "sh", "zsh"]

  /// Returns advice on an expression in whose closures a shell seems to have replaced `$0`; nil
  /// otherwise.
  static func advice(on expression: String) -> String? {
    guard !expression.contains("$"), let brace = expression.firstIndex(of: "{") else { return nil }
    let words = expression[brace...].split { !$0.isLetter && !$0.isNumber && !"_-/.".contains($0) }
    for word in words {
      // Members of the value follow a shell's name; a script's name ends in `.sh`.
      let path = word.hasSuffix(".sh") ? word : word.dropLast(member(of: word).count)
      let name = path.split { "/-.".contains($0) }.last ?? ""
      guard shells.contains(name) else { continue }
      return "the shell has put \"\(path)\" in place of $0; write the expression in single quotes"
    }
    return nil
  }

  /// The text after the file's name in a path: `.price`.
  private static func member(of word: Substring) -> Substring {
    let start = word.lastIndex(of: "/") ?? word.startIndex
    return word[start...].firstIndex(of: ".").map { word[$0...] } ?? ""
  }
}
