import Spelling

/// What is wrong with a command line, and what to do about it.
package struct UsageError: Error {
  package var message: String
  /// A line of its own below the message.
  package var advice: String?

  package init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }

  /// What is said of a word that is none of `known`, all of which are `kind`s with these `dashes`.
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
