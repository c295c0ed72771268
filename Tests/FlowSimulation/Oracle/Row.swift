/// A row of a list, or an answer: words, some of them with a key.
struct Row {
  let text: String
  let words: [String]

  init(_ text: String) {
    self.text = text
    words = text.split(separator: " ").dropFirst().map(String.init)
  }

  /// As by the key, where the text before may have the same.
  func last(_ key: String) -> String? { value(key, words.last { $0.hasPrefix("\(key)=") }) }

  subscript(key: String) -> String? { value(key, words.first { $0.hasPrefix("\(key)=") }) }

  private func value(_ key: String, _ word: String?) -> String? {
    word.map { String($0.dropFirst(key.count + 1)) }
  }

  /// Whether there is a number below 0 where something is counted.
  var hasNegative: Bool {
    ["values", "missed", "held", "demand", "waiting", "to", "in", "out", "dropped", "sent"].contains
    {
      last($0)?.hasPrefix("-") ?? false
    }
  }
}
