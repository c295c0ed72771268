/// The first word of each command; `CommandTable` has an entry for each.
public enum Verb: String, Sendable, CaseIterable {
  case hello = "HELLO"
  case auth = "AUTH"
  case ping = "PING"
  case help = "HELP"
  case quit = "QUIT"
  case subject = "SUBJECT"
  case pipeline = "PIPELINE"
  case run = "RUN"
  case delete = "DELETE"
  case list = "LIST"
  case show = "SHOW"
  case explain = "EXPLAIN"
  case stats = "STATS"
  case kill = "KILL"
  case send = "SEND"
  case done = "DONE"
  case fail = "FAIL"
  case subscribe = "SUB"
  case take = "TAKE"
  case tail = "TAIL"
  case publish = "PUB"
  case feed = "FEED"
  case serve = "SERVE"
  case request = "REQ"
  case cancel = "CANCEL"

  /// Finds a verb by its spelling, whatever the case of its letters.
  init?(_ word: UnsafeRawBufferPointer) {
    guard (1...8).contains(word.count) else { return nil }
    guard let verb = unsafe Self.bySpelling[Self.packed(word)],
      verb.rawValue.utf8.count == word.count
    else { return nil }
    self = verb
  }

  private static let bySpelling = Dictionary(
    uniqueKeysWithValues: allCases.map { verb in (packed(verb.rawValue.utf8), verb) }
  )

  /// Up to eight bytes as one number, small letters as capitals.
  private static func packed(_ word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(0) { $0 << 8 | UInt64($1 &- 0x61 < 26 ? $1 & 0x5F : $1) }
  }
}
