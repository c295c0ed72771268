extension Verb {
  /// Returns the command that NATS, Redis, MQTT and others call `word`.
  public static func meant(by word: String) -> Verb? { elsewhere[word.lowercased()] }

  public static let elsewhere: [String: Verb] = [
    "subscribe": .subscribe, "psubscribe": .subscribe, "consume": .subscribe, "listen": .subscribe,
    "publish": .send, "emit": .send, "produce": .send, "push": .send, "next": .send,
    "unsubscribe": .cancel, "unsub": .cancel, "punsubscribe": .cancel,
    "request": .request, "connect": .hello, "login": .auth,
    "create": .subject, "topic": .subject, "channel": .subject, "stream": .pipeline,
    "remove": .delete, "drop": .delete, "del": .delete, "rm": .delete,
    "ls": .list, "describe": .show, "info": .show, "monitor": .tap, "complete": .done,
    "error": .fail, "exit": .quit, "close": .quit, "bye": .quit, "reply": .serve,
  ]

  /// Returns a valid line with the same arguments, or the example if they do not fit.
  func line(behind word: String, _ words: [String]) -> String {
    var words = words
    switch self {
    case .subscribe where words.count == 1: words.append("10")
    case .pipeline, .request, .hello, .quit: words = []
    default: break
    }
    let line = ([rawValue] + words).joined(separator: " ")
    let isGood = !words.isEmpty && (try? TaggedCommand(line)) != nil
    return isGood ? line : examples.first ?? rawValue
  }
}
