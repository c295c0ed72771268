internal import Spelling

/// The names of subjects, pipelines, runs and services, by `NameGrammar`.
package enum Name {
  /// The most bytes of a name, and of any other word that means something.
  static let longest = NameGrammar.longest

  package static let grammar = NameGrammar.text
  /// Of a name of one level.
  package static let wordGrammar =
    "a name: a letter or \"_\", then letters, digits, \"_\" or \"-\", at most 128 in all"

  package static func isName(_ text: some StringProtocol) -> Bool { NameGrammar.isName(text) }

  /// Whether it is a name of one level.
  package static func isWord(_ text: some StringProtocol) -> Bool { NameGrammar.isWord(text) }

  /// `$…` names belong to the server.
  static func isReserved(_ text: some StringProtocol) -> Bool {
    text.utf8.first == .dollar && isName(text.dropFirst())
  }

  /// Whether it may be read by name: the name of anybody's, or of the server's own.
  package static func isReadable(_ text: some StringProtocol) -> Bool {
    isName(text) || isReserved(text)
  }

  /// Whether it stands for several names: `sensors/*`.
  package static func isPattern(_ text: some StringProtocol) -> Bool { NamePattern.isPattern(text) }

  /// What is said where a name is expected and `text` is none.
  package static func expected(insteadOf text: some StringProtocol) -> String {
    NameGrammar.expected(insteadOf: text)
  }
}
