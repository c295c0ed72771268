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
    let upper = String(unsafeUninitializedCapacity: word.count) { buffer in
      for (place, octet) in word.enumerated() {
        buffer[place] = octet &- 0x61 < 26 ? octet & 0x5F : octet
      }
      return word.count
    }
    self.init(rawValue: upper)
  }
}
