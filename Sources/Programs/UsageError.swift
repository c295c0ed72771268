import Spelling

/// Why a command line is refused, and what to write instead.
package struct UsageError: Error {
  package var message: String
  /// A further line below the message.
  package var advice: String?

  package init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }

  /// Refuses a word that is not in `known`, the names of a `kind` with these `dashes`.
  package init(
    unknown kind: String,
    dashes: String = "",
    _ word: String,
    among known: [String],
    advice: String
  ) {
    let hint = nearest(to: word, among: known).map { "; did you mean \"\(dashes)\($0)\"?" } ?? ""
    self.init("unknown \(kind) \"\(dashes)\(word.excerpt())\"\(hint)", advice: advice)
  }
}
