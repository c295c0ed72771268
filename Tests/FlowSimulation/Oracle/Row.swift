/// A row of a list, or an answer: words, some of them with a key.
struct Row {
  let text: String
  let words: [String]

  init(_ text: String) {
    self.text = text
    words = text.split(separator: " ").dropFirst().map(String.init)
  }

  subscript(key: String) -> String? { words.value(of: key) }

  /// The sum of the numbers behind these keys, of which some may be missing.
  func sum(of keys: [String]) -> Int { keys.reduce(0) { $0 + (words.number(of: $1) ?? 0) } }

  /// Whether there is a number below 0 where something is counted.
  var hasNegative: Bool {
    ["values", "missed", "held", "demand", "waiting", "to", "in", "out", "dropped", "sent"].contains
    {
      self[$0]?.hasPrefix("-") ?? false
    }
  }
}

extension [String] {
  /// What stands behind `key=`: the last of them, since the text of a pipeline may come before.
  func value(of key: String) -> String? {
    last { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
  }

  func number(of key: String) -> Int? { value(of: key).flatMap { Int($0) } }
}
