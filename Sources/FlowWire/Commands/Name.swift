internal import Spelling

/// The names of subjects, pipelines, runs and services, as `NameGrammar` defines them.
package enum Name {
  /// The longest name or other significant word, in bytes.
  static let longest = NameGrammar.longest

  package static let grammar = NameGrammar.text
  /// What an error expects where a name of one level belongs.
  package static let wordGrammar =
    "a name: a letter or \"_\", then letters, digits, \"_\" or \"-\", at most 128 in all"

  package static func isName(_ text: some StringProtocol) -> Bool { NameGrammar.isName(text) }

  package static func isWord(_ text: some StringProtocol) -> Bool { NameGrammar.isWord(text) }

  /// Whether `text` is a `$…` name, which belongs to the server.
  static func isReserved(_ text: some StringProtocol) -> Bool {
    text.utf8.first == .dollar && isName(text.dropFirst())
  }

  /// Whether `text` may be subscribed to: a client's name or one of the server's.
  package static func isReadable(_ text: some StringProtocol) -> Bool {
    isName(text) || isReserved(text)
  }

  /// Whether `text` matches several names: `sensors/*`.
  package static func isPattern(_ text: some StringProtocol) -> Bool { NamePattern.isPattern(text) }

  /// Returns an error message for `text`, which is not a name.
  package static func expected(insteadOf text: some StringProtocol) -> String {
    NameGrammar.expected(insteadOf: text)
  }
}
