/// The grammar of names, `[A-Za-z_][A-Za-z0-9_-]{0,127}`.
package enum Name {
  /// The most bytes of a name, and of any other word that means something.
  static let longest = 128

  package static let grammar =
    "a name: a letter or \"_\", then letters, digits, \"_\" or \"-\", at most 128 in all"

  package static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, first.beginsName else { return false }
    return text.utf8.count <= longest && text.utf8.allSatisfy(\.continuesName)
  }

  /// `$…` names belong to the server.
  static func isReserved(_ text: some StringProtocol) -> Bool {
    text.utf8.first == .dollar && isName(text.dropFirst())
  }

  /// Whether it may be read by name: the name of anybody's, or of the server's own.
  package static func isReadable(_ text: some StringProtocol) -> Bool {
    isName(text) || isReserved(text)
  }

  /// Whether a name that may be read begins like this.
  package static func isBeginning(_ text: some StringProtocol) -> Bool {
    text.isEmpty || text == "$" || isReadable(text)
  }
}
